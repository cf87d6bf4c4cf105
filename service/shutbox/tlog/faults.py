"""Why a leaf, proof, note, receipt, tile or log is refused: one list of names that never change."""

from enum import StrEnum


class Fault(StrEnum):
    """What is wrong. Each is found by Python and by JavaScript under the same name."""

    # bytes and text
    TOO_SHORT = "too-short"  # a field reaches past the end
    TRAILING_BYTES = "trailing-bytes"  # something follows the last field
    TOO_LONG = "too-long"  # longer than its length prefix, or than is accepted
    BAD_LENGTH = "bad-length"  # a hash, id, key or document of another length
    BAD_NUMBER = "bad-number"  # not a decimal in its only spelling, or out of its range
    BAD_BASE64 = "bad-base64"  # not base64 in its only spelling
    BAD_TEXT = "bad-text"  # not UTF-8, or with a control character (a CR among them)
    BAD_LINE = "bad-line"  # a line that is missing, is not of its form, or should not be there

    # leaves and runs
    UNKNOWN_VERSION = "unknown-version"
    UNKNOWN_TYPE = "unknown-type"
    UNKNOWN_KIND = "unknown-kind"
    UNKNOWN_MODE = "unknown-mode"
    UNKNOWN_REASON = "unknown-reason"
    BAD_ROUND_ID = "bad-round-id"  # empty, or with something else than visible ASCII
    BAD_ORIGIN = "bad-origin"  # empty, or with something else than visible ASCII without plus
    BAD_DAY = "bad-day"  # not a day of the calendar
    NOT_ZERO = "not-zero"  # a challenge has no chain, link, day and day secret

    # the tree
    OUT_OF_RANGE = "out-of-range"  # no such leaf in a tree of this size
    WRONG_PROOF_LENGTH = "wrong-proof-length"
    PATH_MISMATCH = "path-mismatch"  # the path does not lead from this leaf to this root
    EMPTY_OLD_TREE = "empty-old-tree"  # consistency with the empty tree says nothing
    ROLLED_BACK = "rolled-back"  # the later tree is the smaller one
    SPLIT_VIEW = "split-view"  # two roots of one size
    OLD_ROOT_MISMATCH = "old-root-mismatch"  # the proof does not lead to the earlier root
    NEW_ROOT_MISMATCH = "new-root-mismatch"  # the proof does not lead to the later root
    BAD_TILE_PATH = "bad-tile-path"
    TILE_MISMATCH = "tile-mismatch"  # an entry or a hash is not what the tile holds
    ROOT_MISMATCH = "root-mismatch"  # all leaves together give another root than the checkpoint

    # keys, notes and receipts
    BAD_KEY = "bad-key"  # not a verifier key, or one whose id is not that of its name and key
    NOT_SIGNED = "not-signed"  # no signature by the key
    BAD_SIGNATURE = "bad-signature"  # a signature by the key that does not fit the text
    ORIGIN_MISMATCH = "origin-mismatch"  # a checkpoint of another log
    NOT_A_RUN = "not-a-run"  # the leaf of a receipt is of another type
    COMMITMENT_MISMATCH = "commitment-mismatch"  # salt and run do not give the commitment in the leaf
    RUN_OF_ANOTHER_ROUND = "run-of-another-round"  # the run names another round or ruleset than its leaf

    # the rules of a log
    SUCCEED_NOT_FIRST = "succeed-not-first"
    REPEATED_CHAIN = "repeated-chain"
    REPEATED_ROUND = "repeated-round"
    REPEATED_RUN = "repeated-run"
    REPEATED_CLOSE = "repeated-close"
    RULESET_NOT_LOGGED = "ruleset-not-logged"
    CHAIN_NOT_LOGGED = "chain-not-logged"
    ROUND_NOT_LOGGED = "round-not-logged"
    RUN_NOT_LOGGED = "run-not-logged"
    LINK_OUT_OF_RANGE = "link-out-of-range"  # the chain has no such link
    CHAIN_NOT_RULING = "chain-not-ruling"  # a later chain has the day
    DAY_MISMATCH = "day-mismatch"  # the day is not the one of the link
    ROUND_ID_MISMATCH = "round-id-mismatch"  # the id does not agree with kind, day, ruleset and mode
    OPENS_MISMATCH = "opens-mismatch"  # a daily opens at 00:00 UTC of its day
    ROUND_CLOSED = "round-closed"  # a run after the close
    DAYS_OUT_OF_ORDER = "days-out-of-order"  # a close before an earlier day's, or more of a day that is disclosed
    LINK_MISMATCH = "link-mismatch"  # the day secret does not hash back to what was published
    SEED_MISMATCH = "seed-mismatch"  # the seed is not the one that was committed to
    SEED_NOT_DERIVED = "seed-not-derived"  # the day secret yields another seed

    LEAF_LOST = "leaf-lost"  # a leaf of the earlier log does not stand again in its successor

    # a closed round
    NOT_CLOSED = "not-closed"
    UNKNOWN_RULESET = "unknown-ruleset"  # nothing is wrong: this program cannot tell
    HEADER_MISMATCH = "header-mismatch"  # the first line of a bundle is not what the log says
    INDEX_MISMATCH = "leaf-index-mismatch"  # the run stands at another place in the log
    RUN_MISSING = "run-missing"  # a logged run is not among the runs
    RUN_OUT_OF_ORDER = "run-out-of-order"
    ILLEGAL_RUN = "illegal-run"  # replay refuses it
    REPEATED_PLAYER = "repeated-player"  # two runs of one player on a sealed round
    RANKED_MISMATCH = "ranked-mismatch"  # another number of ranked runs
    RANKING_MISMATCH = "ranking-mismatch"  # the ranking gives another hash
    RANK_MISMATCH = "rank-mismatch"  # a run has another rank in the bundle


class Refused(Exception):
    """Something is not what the protocol says; `fault` is its name, `detail` says where, for people."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}" if detail else str(fault))
        self.fault = fault
        self.detail = detail

    def __reduce__(self) -> tuple[type["Refused"], tuple[Fault, str]]:
        return Refused, (self.fault, self.detail)  # as it was made, so that it passes between processes
