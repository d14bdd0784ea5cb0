"""What a file or folder of somebody else's is: the one place that decides.

Data sets of other benchmarks, result files of other harnesses and exports of chats register here
through the entry points of the group ``mabench.formats``. Nothing here reads a format itself, and
no format is named here.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.formats.chats import ChatFormat as ChatFormat
    from mabench.formats.chats import ChatMessage as ChatMessage
    from mabench.formats.chats import HistoryUnit as HistoryUnit
    from mabench.formats.chats import ReadingOptions as ReadingOptions
    from mabench.formats.chats import SkippedMessage as SkippedMessage
    from mabench.formats.glimpse import Glimpse as Glimpse
    from mabench.formats.items import Item as Item
    from mabench.formats.recognizer import FileFormat as FileFormat
    from mabench.formats.recognizer import FormatKind as FormatKind
    from mabench.formats.recognizer import Recognized as Recognized
    from mabench.formats.recognizer import installed_formats as installed_formats
    from mabench.formats.recognizer import named_format as named_format
    from mabench.formats.recognizer import recognize as recognize
    from mabench.formats.recognizer import refuse_other_kinds as refuse_other_kinds
    from mabench.formats.result_files import Claim as Claim
    from mabench.formats.result_files import GivenAnswer as GivenAnswer
    from mabench.formats.result_files import GivenRun as GivenRun
    from mabench.formats.result_files import GivenVerdict as GivenVerdict
    from mabench.formats.result_files import ResultFormat as ResultFormat
    from mabench.text.dates import DateOrder as DateOrder
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
