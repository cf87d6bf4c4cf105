"""Signed checkpoints: C2SP signed-note and tlog-checkpoint with one Ed25519 key (protocol.md, "Bytes").

Notes are bytes: read as text, a file would lose its CRs on the way and a wrong one would pass.
"""

from dataclasses import dataclass, field
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .faults import Fault, Refused
from .merkle import EMPTY_ROOT
from .reading import (
    NUMBER_LIMIT,
    base64_text,
    checked_length,
    checked_origin,
    decimal,
    from_base64,
    hash_from_base64,
    text_from,
)

ED25519 = 1
MOST_SIGNATURES = 64
LONGEST_NOTE = 1 << 14
_KEY_ID_LENGTH = 4
_PRIME = (1 << 255) - 19  # of the field of Ed25519 (RFC 8032)
_Y_BITS = (1 << 255) - 1
_Y_OF_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = frozenset((0, 1, _PRIME - 1, _Y_OF_ORDER_8, _PRIME - _Y_OF_ORDER_8))
"""y of the points of small order: with such a key one signature fits every text, so that it would prove nothing."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """The public key of a log; its name is the origin."""

    name: str
    public_key: bytes

    def __post_init__(self) -> None:
        checked_origin(self.name)
        checked_length(self.public_key, 32, "public key")
        if (int.from_bytes(self.public_key, "little") & _Y_BITS) % _PRIME in _SMALL_ORDER:
            raise Refused(Fault.BAD_KEY, "anyone can sign for it")

    @property
    def key_id(self) -> bytes:
        """The first four bytes of SHA-256(name || 0x0A || type || key)."""
        return sha256(self.name.encode() + b"\n" + bytes((ED25519,)) + self.public_key).digest()[:_KEY_ID_LENGTH]

    @property
    def text(self) -> str:
        """The key as people pass it on: name+id+base64(type || key)."""
        return f"{self.name}+{self.key_id.hex()}+{base64_text(bytes((ED25519,)) + self.public_key)}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Return the key of a text, which is the only text it has."""
        name, key_id, encoded = [*text.split("+", 2), "", ""][:3]
        try:
            content = from_base64(encoded)
            if content[:1] != bytes((ED25519,)):
                raise Refused(Fault.BAD_KEY, "its type is not Ed25519")
            key = cls(name, content[1:])
        except Refused as refused:
            raise Refused(Fault.BAD_KEY, refused.detail) from None
        if key.key_id.hex() != key_id:
            raise Refused(Fault.BAD_KEY, "its id is not that of its name and key")
        return key

    def verifies(self, signature: bytes, text: bytes) -> bool:
        """Tell whether this key signed the text."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, text)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The key that signs for a log: its name and the 32 secret bytes of RFC 8032."""

    name: str
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        checked_origin(self.name)
        checked_length(self.secret, 32, "secret key")

    @property
    def verifier(self) -> VerifierKey:
        """The key that checks what this one signs."""
        return VerifierKey(self.name, self._key().public_key().public_bytes_raw())

    def sign(self, text: str) -> bytes:
        """Return the note of a text that ends in a newline."""
        signature = self._key().sign(text.encode())
        return f"{text}\n— {self.name} {base64_text(self.verifier.key_id + signature)}\n".encode()

    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line of a note."""

    name: str
    key_id: bytes
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Note:
    """A text, which ends in a newline, and the signatures below it; nothing of it is believed yet."""

    text: str
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log at one size. A checkpoint of this protocol has no extension lines."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        checked_origin(self.origin)
        checked_length(self.root, 32, "root")
        if not 0 <= self.size < NUMBER_LIMIT:
            raise Refused(Fault.BAD_NUMBER, "size")
        if not self.size and self.root != EMPTY_ROOT:
            raise Refused(Fault.PATH_MISMATCH, "the root of no leaves")

    @property
    def text(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{base64_text(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Return the checkpoint of the text of a note."""
        lines = text.split("\n")
        if len(lines) != 4 or lines[3]:
            raise Refused(Fault.BAD_LINE, "a checkpoint has three lines, then one blank line")
        return cls(checked_origin(lines[0]), decimal(lines[1]), hash_from_base64(lines[2]))


def parse_note(content: bytes) -> Note:
    """Return the parts of a note: its text reaches to the last blank line, below stand signatures only."""
    if len(content) > LONGEST_NOTE:  # else a server could choose which checkpoints cannot be remembered
        raise Refused(Fault.TOO_LONG, "a note")
    text = text_from(content)
    above, blank, below = text.rpartition("\n\n")
    if not blank or not above or not below.endswith("\n"):
        raise Refused(Fault.BAD_LINE, "a note is text, a blank line and signature lines")
    lines = below[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise Refused(Fault.TOO_LONG, f"more than {MOST_SIGNATURES} signatures")
    return Note(above + "\n", tuple(_signature(line) for line in lines))


def verify_note(content: bytes, key: VerifierKey) -> str:
    """Return the text of a note that the key signed. Signatures by other keys are passed over, whatever they are."""
    note = parse_note(content)
    by_key = [line for line in note.signatures if (line.name, line.key_id) == (key.name, key.key_id)]
    if not by_key:
        raise Refused(Fault.NOT_SIGNED, f"no signature by {key.name}")
    if not all(key.verifies(line.signature, note.text.encode()) for line in by_key):
        raise Refused(Fault.BAD_SIGNATURE, f"signature by {key.name}")
    return note.text


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> bytes:
    """Return a signed checkpoint; the key's name is the origin. Whether it may be signed is the caller's to check."""
    if checkpoint.origin != key.name:
        raise Refused(Fault.ORIGIN_MISMATCH, checkpoint.origin)
    return key.sign(checkpoint.text)


def verify_checkpoint(content: bytes, key: VerifierKey) -> Checkpoint:
    """Return the checkpoint that the key signed."""
    checkpoint = Checkpoint.parse(verify_note(content, key))
    if checkpoint.origin != key.name:
        raise Refused(Fault.ORIGIN_MISMATCH, checkpoint.origin)
    return checkpoint


def _signature(line: str) -> Signature:
    dash, *parts = line.split(" ")
    if dash != "—" or len(parts) != 2 or not _is_key_name(parts[0]):
        raise Refused(Fault.BAD_LINE, "a signature line")
    content = from_base64(parts[1])
    if len(content) <= _KEY_ID_LENGTH:
        raise Refused(Fault.BAD_LENGTH, "a signature")
    return Signature(parts[0], content[:_KEY_ID_LENGTH], content[_KEY_ID_LENGTH:])


def _is_key_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(character.isspace() for character in name)
