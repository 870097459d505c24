"""The module `referee` of the wheel, with and without pandas. Run in an empty folder."""

import pathlib

import referee

games = [("ant", "bee", "1-0"), ("bee", "ant", "0-1"), ("bee", "cat", "1/2-1/2"), ("cat", "ant", "0-1")]
players = referee.rate(games)
assert [players[0]["player"], len(players)] == ["ant", 3], players
assert players[0]["rating_low"] < players[0]["rating"] < players[0]["rating_high"]
columns = [{"first": a, "second": b, "result": result, "pair": 1} for a, b, result in games]
assert {player["player"] for player in referee.rate(columns)} == {"ant", "bee", "cat"}
pair = [("ant", "bee", "1-0", 1), ("bee", "ant", "0-1", 1, "crash")]
assert referee.rate(pair)[0]["faults"] == {} and referee.rate(pair)[1]["faults"] == {"crash": 1}

try:
    referee.rate([("ant", "bee")])
    raise SystemExit("a game without a result was rated")
except ValueError as error:
    assert "(first, second, result)" in str(error), error

try:
    referee.rate([("ant", "bee", "perhaps")])
    raise SystemExit("a bad result was rated")
except referee.RefereeError as error:
    assert error.code == 2 and "perhaps" in str(error), error

game = {"game": "back-to-the-wall", "seed": 7, "jobs": 1}
verdict = referee.compare("bot:greedy", "bot:random", elo1=150, **game)
assert verdict["verdict"] in ("better", "not-better", "undecided") and verdict["pairs"] > 0, verdict
place = referee.compare("bot:greedy", against=["bot:random"], within=300, max_pairs=20, **game)
assert place["player"] == "greedy" and place["of"] == 2, place

pathlib.Path("cup.toml").write_text(
    'name = "cup"\ngame = "back-to-the-wall"\nseed = 7\n'
    '[[players]]\nname = "a"\nbot = "greedy"\n[[players]]\nname = "b"\nbot = "random"\n'
)
standings = referee.run("cup.toml")
assert {player["player"] for player in standings["players"]} == {"a", "b"}, standings

try:
    import pandas
except ModuleNotFoundError:
    try:
        referee.run("not-read.toml", frame=True)
        raise SystemExit("a data frame without pandas")
    except referee.RefereeError as error:
        assert "pip install pandas" in str(error), error
    print("ok, without pandas")
else:
    frame = referee.rate(pandas.DataFrame(columns))
    assert list(frame["player"])[0] == "ant"
    assert len(referee.run("cup.toml", frame=True)) == 2
    print("ok, with pandas")
