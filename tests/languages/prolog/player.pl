:- use_module(library(http/json)).
:- use_module(library(random)).
:- initialization(main, main).

main :-
    json_read_dict(user_input, Message),
    reply(Message.type, Message).

reply("quit", _) :- !.
reply("init", _) :- !, writeln(ok), main.
reply("turn", Message) :- !,
    random_member(Action, Message.legal),
    writeln(Action),
    main.
reply(_, _) :- main.
