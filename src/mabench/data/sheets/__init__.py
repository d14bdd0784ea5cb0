"""Sheets of questions beside own conversations: files that any spreadsheet or editor opens."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.data.sheets.drafts import is_of_drafts as is_of_drafts
    from mabench.data.sheets.drafts import name_drafts as name_drafts
    from mabench.data.sheets.drafts import split_drafts as split_drafts
    from mabench.data.sheets.drafts import with_drafts as with_drafts
    from mabench.data.sheets.joining import CONVERSATIONS_FILE as CONVERSATIONS_FILE
    from mabench.data.sheets.joining import history_of as history_of
    from mabench.data.sheets.joining import join_questions as join_questions
    from mabench.data.sheets.lines import COLUMNS as COLUMNS
    from mabench.data.sheets.lines import SHEET_FILES as SHEET_FILES
    from mabench.data.sheets.lines import QuestionStatus as QuestionStatus
    from mabench.data.sheets.lines import SheetLine as SheetLine
    from mabench.data.sheets.lines import find_sheet as find_sheet
    from mabench.data.sheets.lines import read_sheet as read_sheet
    from mabench.data.sheets.lines import write_sheet as write_sheet
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
