#!/usr/bin/env python3
"""Chess as a rules program, with the package `chess` (python-chess, see PyPI).

Every answer depends on its request alone: the state lists the moves from the start of the game. The
last positions are kept, so a request costs one move, not a whole game.
"""

import json
import sys
from collections import OrderedDict

try:
    import chess
except ModuleNotFoundError:
    sys.exit("the package chess is missing; install it: pip install chess")

GAME = {
    "protocol": 1, "name": "chess", "title": "Chess", "version": "1",
    "seats": ["white", "black"], "hidden": False, "options": [],
    "clauses": [
        {"id": "CH1", "title": "Moves",
         "text": "Pieces move as in the FIDE Laws of Chess, article 3."},
        {"id": "CH2", "title": "Notation",
         "text": "An action is a move in the notation of UCI (e2e4, e1g1, e7e8q). A move in "
                 "standard algebraic notation (e4, O-O, e8=Q) is understood, too."},
        {"id": "CH3", "title": "Check",
         "text": "No move may leave or put its own king in check (article 3.9)."},
        {"id": "CH4", "title": "Checkmate and stalemate",
         "text": "A seat in check without a legal move loses. Without check it is a draw "
                 "(articles 5.1.1 and 5.2.1)."},
        {"id": "CH5", "title": "Dead position",
         "text": "The game is drawn when neither seat has the material for any checkmate."},
        {"id": "CH6", "title": "Repetition",
         "text": "The game is drawn when a position occurs for the third time, without a claim."},
        {"id": "CH7", "title": "Fifty moves",
         "text": "The game is drawn after 50 moves of each seat without a capture or a move of a "
                 "pawn, without a claim."},
    ],
}
# The fifty-move rule ends every game before this.
MAX_PLIES = 12_000
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
KEPT_POSITIONS = 4096
kept = OrderedDict()  # positions by their moves, the last one used at the end


class Position:
    """A board, and the positions since the last move that cannot be taken back."""

    def __init__(self, board, repeatable=()):
        self.board = board
        self.placement = board.epd()
        self.repeatable = (*repeatable, self.placement)

    def after(self, text):
        move, board = chess.Move.from_uci(text), self.board.copy(stack=False)
        repeatable = () if board.is_irreversible(move) else self.repeatable
        board.push(move)
        return Position(board, repeatable)


def position_after(moves):
    """The position after these moves."""
    position = kept.pop(moves, None)
    if position is None:
        before, _, last = moves.rpartition(" ")
        if before in kept:
            position = kept[before].after(last)
        else:
            position = Position(chess.Board())
            for move in moves.split():
                position = position.after(move)
    kept[moves] = position
    if len(kept) > KEPT_POSITIONS:
        kept.popitem(last=False)
    return position


def start(**_):
    return {**show(""), "max_plies": MAX_PLIES}


def play(state, step, **_):
    before = position_after(state["moves"]).board
    event = {"event": "played", "san": before.san(chess.Move.from_uci(step["move"]))}
    return {**show(f"{state['moves']} {step['move']}".lstrip()), "events": [event]}


def show(moves):
    """The answer that shows the position after these moves."""
    position = position_after(moves)
    board = position.board
    legal = [move.uci() for move in board.legal_moves]
    turn = ending(position, legal) or {"move": seat(board.turn)}
    white = material(board, chess.WHITE) - material(board, chess.BLACK)
    value = max(-1, min(1, white / 40))
    answer = {
        "state": {
            "fen": f"{position.placement} {board.halfmove_clock} {board.fullmove_number}",
            "moves": moves,
        },
        "turn": turn,
        "rows": str(board).replace(" ", "").split("\n"),
        "caption": f"move {board.fullmove_number}" + (", check" if board.is_check() else ""),
        "values": {"white": value, "black": -value},
    }
    if "move" in turn:
        answer["legal"] = legal
    return answer


def ending(position, legal):
    """The end of the game, if it is over."""
    board = position.board
    if not legal and board.is_check():
        return {"over": seat(not board.turn), "reason": "checkmate"}
    if not legal:
        return {"over": "draw", "reason": "stalemate"}
    if board.is_insufficient_material():
        return {"over": "draw", "reason": "dead-position"}
    if position.repeatable.count(position.placement) == 3:
        return {"over": "draw", "reason": "repetition"}
    if board.halfmove_clock >= 100:
        return {"over": "draw", "reason": "fifty-moves"}
    return None


def seat(color):
    return "white" if color == chess.WHITE else "black"


def material(board, color):
    return sum(worth * len(board.pieces(piece, color)) for piece, worth in WORTH.items())


def judge(state, text, **_):
    """The move that a text means, or the reason why it is refused."""
    board = position_after(state["moves"]).board
    for parse in board.parse_uci, board.parse_san:
        try:
            move = parse(text)
            if move:  # a null move is false
                return {"action": move.uci()}
        except chess.AmbiguousMoveError:
            return {"refused": "several pieces can make this move", "clause": "CH2"}
        except chess.IllegalMoveError:
            return refusal(board, text)
        except chess.InvalidMoveError:
            pass
    return {"refused": "it is not a move in UCI or algebraic notation", "clause": "CH2",
            "malformed": True}


def refusal(board, text):
    """The reason why this move, in UCI or algebraic notation, is refused."""
    try:
        move = chess.Move.from_uci(text)
    except chess.InvalidMoveError:
        return {"refused": "no piece can make this move", "clause": "CH1"}
    square = chess.square_name(move.from_square)
    if board.color_at(move.from_square) != board.turn:
        return {"refused": f"{seat(board.turn)} has no piece on {square}", "clause": "CH1"}
    if board.is_pseudo_legal(move):
        return {"refused": "it leaves its own king in check", "clause": "CH3"}
    if board.is_pseudo_legal(chess.Move(move.from_square, move.to_square, chess.QUEEN)):
        return {"refused": "it does not say what the pawn becomes: q, r, b or n", "clause": "CH2"}
    return {"refused": f"the piece on {square} cannot make this move", "clause": "CH1"}


ANSWERS = {"game": lambda **_: GAME, "start": start, "play": play, "judge": judge}
for request in map(json.loads, sys.stdin):
    if request["type"] == "quit":
        break
    answer = ANSWERS[request["type"]](**request)
    print(json.dumps({"id": request["id"], **answer}), flush=True)
