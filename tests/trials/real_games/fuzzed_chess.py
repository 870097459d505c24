"""Fuzzed books of chess: `write` makes them with what the package `chess` makes of them, and `compare`
holds the openings in the logs against that. The seed is fixed."""

import io
import json
import logging
import random
import sys

import chess
import chess.pgn

POSITIONS, GAMES, ENDINGS = 1000, 400, 60
logging.disable()


def is_over(board):
    """Whether the rules have ended the game, so that it is no opening."""
    return board.is_game_over() or board.is_repetition(3) or board.halfmove_clock >= 100


def after_random_moves(most):
    board = chess.Board()
    for _ in range(random.randint(0, most)):
        following = board.copy()
        following.push(random.choice(list(board.legal_moves)))
        if is_over(following):
            break
        board = following
    return board


def changed(fen):
    """The FEN with one change, which may be legal."""
    board, mover, rights, passed, still, number = fen.split()
    kind = random.randrange(9)
    if kind == 0:
        at = random.randrange(len(board))
        board = board[:at] + random.choice("pnbrqkPNBRQK12345678/x") + board[at + 1 :]
    elif kind == 1:
        placed = chess.BaseBoard(board)
        piece = random.choice([None, *map(chess.Piece.from_symbol, "pnbrqkPNBRQK")])
        placed.set_piece_at(random.randrange(64), piece)
        board = placed.board_fen()
    elif kind == 2:
        mover = "b" if mover == "w" else "w"
    elif kind == 3:
        rights = "".join(right for right in "KQkq" if random.random() < 0.5) or "-"
    elif kind == 4:
        passed = random.choice("abcdefgh") + random.choice("36")
    elif kind == 5:
        return " ".join([board, mover, rights, passed][: random.randint(2, 4)])
    elif kind == 6:
        still = random.choice(["0", "7", "99", "100", "150", "-1"])
    elif kind == 7:
        number = random.choice(["0", "1", "9999"])
    return " ".join([board, mover, rights, passed, still, number])


def accepts_position(fen):
    try:
        board = chess.Board(fen)
    except ValueError:
        return False
    # The package drops rights that are impossible in silence.
    given = fen.split()[2:3] or ["-"]
    rights = set(board.castling_xfen()) == set(given[0])
    return rights and board.is_valid() and not is_over(board)


def positions():
    """Lines of a book, each with whether it is an opening."""
    found = {}
    while len(found) < POSITIONS:
        fen = after_random_moves(80).fen(en_passant=random.choice(["legal", "fen"]))
        fen = changed(fen) if random.random() < 0.6 else fen
        found[fen] = accepts_position(fen)
    return found


def san(board, move):
    """The move in one of the ways in which people write it."""
    text = board.san(move)
    kind = random.randrange(8)
    if kind == 0:
        return text.rstrip("+#")
    if kind == 1:
        return text.replace("O", "0")
    if kind == 2:
        return text + random.choice(["!", "?!", "??", " $14", " $1 $139"])
    if kind == 3:
        return text.replace("=", "")
    if kind == 4 and text[0] in "NBRQ":
        capture = "x" if board.is_capture(move) else ""
        end = text[len(text.rstrip("+#")) :]
        return text[0] + chess.square_name(move.from_square) + capture + chess.square_name(move.to_square) + end
    return text


BLANKS = [" "] * 8 + ["\n", "\r\n", "\t", " {a comment (with } ", " {e4 1-0 [Event] ; } ",
                       " ; to the end) 1-0\n", " {} ", "\n% an escaped line 1-0\n"]
VARIATIONS = [" (1. zzz) ", " (1. e4 (1. d4 {)} d5) c5) "]


def game(number):
    """The text of a game, which may have a mistake."""
    board = after_random_moves(40) if random.random() < 0.3 else chess.Board()
    start = board.copy(stack=False)
    tags = [f'[Event "{number}"]']
    if start != chess.Board():
        tags.append(f'[FEN "{start.fen()}"]')
    random.shuffle(tags)
    words = []
    mistake = random.randrange(30) if random.random() < 0.2 else None
    for at in range(random.randint(1, 24)):
        move = random.choice(list(board.legal_moves))
        following = board.copy()
        following.push(move)
        if is_over(following):
            break
        words.append(f"{board.fullmove_number}." if board.turn else random.choice(["", f"{board.fullmove_number}..."]))
        if at == mistake:
            words.append(random.choice(["e9", "Qh8", "e4", "Nxe5", "Rad1", "O-O-O", "Kd2", "dxe5", "h1=Q"]))
        else:
            words.append(san(board, move))
        board = following
    after = lambda word: random.choice(BLANKS + VARIATIONS * (not word.endswith(".")))
    text = "".join(word + after(word) for word in words if word)
    text += random.choice(["*", "1-0", "1/2-1/2"]) + "\n\n"
    # The standard allows several tags on a line; the package reads one.
    return [random.choice(["\n", " "]).join(tags) + "\n\n" + text, "\n".join(tags) + "\n\n" + text]


class MainLine(chess.pgn.BaseVisitor):
    """The start and the moves of a game, or none if it is refused."""

    def begin_game(self):
        self.start, self.moves, self.board, self.is_right = None, [], chess.Board(), True

    def visit_header(self, name, value):
        if name == "FEN":
            self.board = chess.Board(value)
            self.start = self.board.fen()

    def begin_variation(self):
        return chess.pgn.SKIP

    def visit_move(self, board, move):
        self.moves.append(move.uci())
        self.board.push(move)

    def handle_error(self, error):
        self.is_right = False

    def result(self):
        return [self.start, self.moves] if self.is_right and not is_over(self.board) else None


def ending():
    """A position with few pieces, which ends soon by one of the rules."""
    # Many moves mate; the kings can do little but go to and fro.
    likely = ["k7/2Q5/1K6/8/8/8/8/8 w - - ", "k7/p1p5/P1P5/8/8/p1p5/P1P5/K7 w - - "]
    if random.random() < 0.4:
        return random.choice(likely) + f"{random.randrange(30)} {random.randrange(1, 90)}"
    while True:
        board = chess.Board(None)
        squares = random.sample(range(64), 5)
        pieces = "Kk" + random.choice(["Q", "R", "QQ", "QR", "Qr", "P", "Pp", "BN", "Bb", "N", "RRr", "qN"])
        for square, piece in zip(squares, pieces):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = random.random() < 0.5
        board.halfmove_clock = random.choice([0, 60, 90, 97])
        if board.is_valid() and not is_over(board):
            return board.fen()


def write():
    random.seed(19)
    expected = positions()
    with open("positions.epd", "w") as book:
        book.writelines(fen + "\n" for fen in expected)
    texts = [game(number) for number in range(GAMES)]
    with open("games.pgn", "w", newline="") as book:
        book.writelines(text for text, _ in texts)
    with open("endings.epd", "w") as book:
        book.writelines(ending() + "\n" for _ in range(ENDINGS))
    games = [chess.pgn.read_game(io.StringIO(plain), Visitor=MainLine) for _, plain in texts]
    with open("expected.json", "w") as out:
        json.dump({"positions": [fen for fen in expected if expected[fen]], "games": games, "texts": texts}, out)


def openings(name):
    with open(f"results/{name}/games.jsonl") as log:
        for opening in json.loads(log.readline())["openings"]["listed"]:
            if isinstance(opening, list):
                yield None, opening
            else:
                yield opening["options"]["fen"], opening["actions"]


def compare():
    with open("expected.json") as file:
        expected = json.load(file)
    ours = [chess.Board(fen).fen() for fen, _ in openings("positions")]
    wanted = [chess.Board(fen).fen() for fen in expected["positions"]]
    for fen in set(ours) ^ set(wanted):
        print("accepted" if fen in ours else "refused", "here only:", fen)
    if ours == wanted:
        print("positions", len(ours), "of", POSITIONS)
    ours = [[fen and chess.Board(fen).fen(), moves] for fen, moves in openings("games")]
    wanted = [game for game in expected["games"] if game]
    for text, game in zip(expected["texts"], expected["games"]):
        if game and game not in ours:
            print("refused or read otherwise here:", game, repr(text))
    for game in ours:
        if game not in wanted:
            print("read here only:", game)
    if ours == wanted:
        print("games", len(ours), "of", GAMES)


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]]()
