#!/usr/bin/env escript

main(_) ->
    case io:get_line("") of
        eof -> ok;
        Line -> reply(re:run(Line, "\"type\":\"(\\w+)\"", [{capture, [1], list}]), Line)
    end.

reply({match, ["quit"]}, _) -> ok;
reply({match, ["init"]}, _) -> io:format("ok~n"), main([]);
reply({match, ["turn"]}, Line) ->
    {match, [List]} = re:run(Line, "\"legal\":\\[\"(.*?)\"\\]", [{capture, [1], list}]),
    Legal = string:split(List, "\",\"", all),
    io:format("~s~n", [lists:nth(rand:uniform(length(Legal)), Legal)]),
    main([]);
reply(_, _) -> main([]).
