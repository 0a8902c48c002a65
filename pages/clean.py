"""Clean page: upload of a list, review of how it is read, start."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from components.clean.choices import (
    clear_choices,
    clear_run_choices,
    read_choices,
    read_removal,
    read_repair,
    write_choices,
    write_run_choices,
)
from components.clean.clean_many import ListLook, draw_many, draw_way
from components.clean.clean_merge import draw_merge
from components.clean.clean_review import (
    awaits_header,
    collect_choices,
    draw_consent,
    draw_email_picker,
    draw_escape_question,
    draw_first_rows,
    draw_reading_choices,
    draw_understood,
    find_email_column,
    forget_columns,
)
from components.clean.clean_submit import Question, draw_go
from components.clean.clean_upload import (
    draw_arrived,
    draw_discard_all,
    draw_drop,
    draw_more_waiting,
    draw_waiting,
)
from components.clean.duplicates import GROUPS_PX, Removal, draw_duplicates, draw_removal
from components.clean.health import HEALTH_PX, draw_health, is_only_miswritten, loses_most
from components.clean.suppressions import draw_suppressions, title_suppressions
from components.frame import page_urls
from components.frame.error_boundary import fragment, guard
from components.frame.session import read_identity
from components.kit.html import escape_markdown
from components.kit.input_summary import name_column, name_columns
from components.kit.notices import draw_error, draw_loud_notices, draw_notices, draw_silent_dns
from components.kit.page_params import page_params
from winnow.core.accounts import Upload
from winnow.core.errors import EmailColumnMissing, Gone, InputError, MixedEscapes, WinnowError
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import Preview
from winnow.core.tasks.keep_rule import KEEP_USUAL, KeepChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.wiring import services
from winnow.words import format_number, say, say_written

WAITING_SHOWN = 50
TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes
desk = services()
account = read_identity().account


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def drop() -> None:
    """Step one, redrawn before its upload token expires."""
    arrived, sample = draw_drop(
        token=desk.uploads.issue_token(account), free_bytes=desk.usage.storage(account).free_bytes
    )
    if sample:
        try:
            arrived = (desk.uploads.stage_sample(account).upload_id,)
        except WinnowError as error:
            draw_error(error, kept=say("Delete a project that you no longer need, and try again."))
    waiting = () if arrived else desk.uploads.list_waiting(account)
    if len(waiting) > 1:
        opened = clean_many(waiting[:WAITING_SHOWN])
        arrived = () if opened is None else (opened.upload_id,)
    if len(waiting) > WAITING_SHOWN:
        draw_more_waiting(len(waiting) - WAITING_SHOWN)
    if len(waiting) > 1 and draw_discard_all(len(waiting)):
        discard_all(waiting)
    chosen = draw_waiting(waiting) if len(waiting) == 1 else None
    if chosen is not None and chosen[0] == "discard":
        desk.uploads.discard(account, chosen[1].upload_id)
        st.rerun()
    if chosen is not None:
        arrived = (chosen[1].upload_id,)
    if arrived:
        clear_choices()
        clear_run_choices()
        if len(arrived) == 1:
            page_params["upload"] = arrived[0]
        st.rerun()


def discard_all(waiting: Sequence[Upload]) -> None:
    """Delete every upload that is not cleaned, and redraw the page."""
    for upload in waiting:
        desk.uploads.discard(account, upload.upload_id)
    st.rerun()


def clean_many(waiting: Sequence[Upload]) -> Upload | None:
    """Draw the lists that wait, clean the clear ones on request; return one to open."""
    with st.spinner(say("Looking into the lists")):
        looks = [look_briefly(upload) for upload in waiting]
    if draw_way(len(looks)):
        return merge_many(looks)
    order = draw_many(looks)
    if order.discards is not None:
        desk.uploads.discard(account, order.discards.upload_id)
        st.rerun()
    if order.cleans:
        clear = [one for one in looks if one.is_clear]
        failed = [one.upload.file_name for one in clear if not submit_as_read(one)]
        if not failed:
            st.switch_page(page_urls.PROJECTS)
    return order.opens


def merge_many(looks: Sequence[ListLook]) -> Upload | None:
    """Draw the lists as files to merge, merge them on request; return the merged list."""
    order = draw_merge([look_without_header(look) for look in looks])
    if order.discards is not None:
        desk.uploads.discard(account, order.discards.upload_id)
        st.rerun()
    if not order.merges:
        return None
    files, reading = order.merges, ""
    bar = st.progress(0.0)

    def tell(number: int) -> None:
        nonlocal reading
        reading = escape_markdown(files[number].upload.file_name)
        said = say(
            "Reading {file}: {number} of {count}",
            file=reading,
            number=format_number(number + 1),
            count=format_number(len(files)),
        )
        bar.progress(number / len(files), text=said)

    try:
        read = [(file.upload.upload_id, file.head, file.column) for file in files]
        return desk.merges.merge(account, read, tell)
    except InputError as error:
        bar.empty()
        kept = say(
            "This is in {file}. Delete it here, or correct it and drop it again.",
            file=reading,
        )
        draw_error(error, kept=kept)
    except WinnowError as error:
        bar.empty()
        draw_error(error, kept=say("Your files are still here."))
    return None


def look_without_header(found: ListLook) -> ListLook:
    """Return a look with a doubtful first row read as a row, as merged lists have it."""
    head = found.head
    if head is None or not head.headerless_guess:
        return found
    head = read_head(account, found.upload.upload_id, Choices(has_header=False))
    column = find_email_column(head)
    name = "" if column is None else name_column(head, column)
    return replace(found, head=head, column=column, column_name=name)


def submit_as_read(found: ListLook) -> bool:
    """Start one list as it was read, or draw the error; return whether it was started."""
    try:
        desk.tasks.submit(
            account,
            found.upload.upload_id,
            RunRequest(email_column=found.column),
        )
    except WinnowError as error:
        name = escape_markdown(found.upload.file_name)
        draw_error(error, kept=say("{file} is still here.", file=name))
        return False
    return True


def look_briefly(upload: Upload) -> ListLook:
    """Return a first look at a list: whether it can be cleaned without a question."""
    try:
        head = read_head(account, upload.upload_id, Choices())
        column = find_email_column(head)
        if column is None or awaits_header(head, column):
            return ListLook(
                upload,
                head.row_count if head.row_count is not None else head.row_estimate,
                head.row_count is None,
                question=say("Which column holds the addresses?")
                if column is None
                else say("Is there a header row?"),
                head=head,
            )
        found = desk.previews.recall(account, upload.upload_id, head, column)
        found = found or desk.previews.look(account, upload.upload_id, head, column)
    except WinnowError as error:
        hint = say_written(error.hint) if error.hint else ""
        return ListLook(upload, problem=say_written(error.detail), hint=hint)
    rows = found.rows if found.is_exact else head.row_count
    return ListLook(
        upload,
        head.row_estimate if rows is None else rows,
        rows is None,
        column,
        name_column(head, column),
        say("More than half are duplicates. Is it the right column?") if loses_most(found) else "",
        head=head,
    )


@st.cache_data(max_entries=64, ttl=600, show_spinner=say("Looking into the list"))
def read_head(account: str, upload_id: str, choices: Choices) -> Head:
    """Return an upload's head; cached between reruns of the page, since uploads never change."""
    return desk.uploads.read_head(account, upload_id, choices)


def look(upload_id: str) -> tuple[Head, int | None, Removal] | None:
    """Step two: how the list is read, and the analyst's changes of it."""
    st.header(say("2 · Check what was read"))

    @guard
    def choose_escape(escape: str) -> None:
        chosen = replace(read_choices(page_params), escape=escape)
        write_choices(chosen)

    try:
        head = read_head(account, upload_id, read_choices(page_params))
        chosen = read_choices(page_params, head.sheets)  # a sheet is named by its position
        if chosen.sheet is not None:
            head = read_head(account, upload_id, chosen)
    except WinnowError as error:
        draw_error(error, kept=say("Nothing was cleaned yet."))
        if isinstance(error, MixedEscapes):
            draw_escape_question(choose_escape)
        if read_choices(page_params) != Choices() and st.button(
            say("Undo my changes"), key="look_afresh"
        ):
            clear_choices()
            st.rerun()
        return None

    @guard
    def keep_choices() -> None:
        write_choices(collect_choices(head, chosen), head.sheets)

    @guard
    def settle_header(has_header: bool) -> None:
        choices = replace(collect_choices(head, chosen), has_header=has_header)
        write_choices(choices, head.sheets)

    @guard
    def choose_column(column: int) -> None:
        choices = replace(collect_choices(head, chosen), email_column=column)
        write_choices(choices, head.sheets)

    @guard
    def choose_first_row(number: int) -> None:
        choices = replace(chosen, first_row=number, has_header=True)
        choices = forget_columns(choices)
        write_choices(choices, head.sheets)

    column = find_email_column(head)
    if column is not None:
        head = count_rows(upload_id, head, column)
    with st.container(horizontal=True, vertical_alignment="center"):
        draw_understood(head, column)
        draw_reading_choices(head, keep_choices)
    draw_consent(head)
    draw_email_picker(head, column, keep_choices, settle_header, choose_column)
    draw_first_rows(head, column, choose_first_row)
    draw_loud_notices(head.notices)
    draw_notices(head.notices, head.file_format)
    if column is not None and not awaits_header(head, column):
        with st.container(key="health"):
            expect(upload_id, head, column)
    with st.container(key="duplicates"):
        removal = draw_removal(
            name_columns(head),
            partial(desk.duplicates.find_date_columns, head),
            subject=upload_id,
            first=recall(upload_id)[0],
        )
        if column is not None and not awaits_header(head, column) and removal.deduplicate:
            show_duplicates(upload_id, head, column, removal)
    return head, column, removal


@fragment(parallel=True)
def expect(upload_id: str, head: Head, column: int) -> None:
    """Draw the preview of the result; the rest of the page is drawn without waiting."""
    slot = st.empty()
    try:
        found = desk.previews.recall(account, upload_id, head, column)
        if found is None:
            slot.skeleton(HEALTH_PX)
            found = desk.previews.look(account, upload_id, head, column)
            if loses_most(found) or (found.is_exact and found.rows != head.row_count):
                st.rerun()  # step three asks about it, or counts the rows again
    except EmailColumnMissing:  # the picker shows it already
        slot.empty()
        return
    except WinnowError as error:
        with slot.container():
            draw_error(
                error, kept=say("Correct this in the file first; it cannot be cleaned as it is.")
            )
        return
    with slot.container():
        draw_health(
            found,
            deduplicate=bool(st.session_state.get("go_deduplicate", True)),
            column=name_column(head, column),
            asks_dns=desk.network.is_on("dns"),
            can_be_repaired=is_only_miswritten(
                "".join(row[column:][:1]) for row in head.sample_rows
            ),
        )
        if desk.network.is_on("dns"):
            draw_silent_dns(desk.tasks.list(account))


def show_duplicates(upload_id: str, head: Head, column: int, removal: Removal) -> None:
    """Offer to show some groups of duplicates."""
    keep = removal.keep
    if keep is None:
        return
    if st.toggle(say("Show some duplicates"), key="look_duplicates"):
        draw_groups(upload_id, head, column, keep)


@fragment(parallel=True)
def draw_groups(upload_id: str, head: Head, column: int, keep: KeepChoice) -> None:
    """Draw the groups; the rest of the page is drawn without waiting."""
    slot = st.empty()
    slot.skeleton(GROUPS_PX)
    try:
        found = desk.duplicates.look(account, upload_id, head, column, keep)
    except WinnowError as error:
        with slot.container():
            draw_error(error, kept=say("Your file is still here."))
        return
    with slot.container():
        by = keep.keep_by if isinstance(keep.keep_by, int) else None
        columns = (column,) if head.second_column is None else (column, head.second_column)
        draw_duplicates(found, name_columns(head), columns, keep.keep, by)


def recall(upload_id: str) -> tuple[Removal, bool]:
    """Return the run's choices in the URL when this session first showed the list."""
    params = page_params
    found: tuple[Removal, bool] = st.session_state.setdefault(
        f"go_first_{upload_id}", (read_removal(params), read_repair(params))
    )
    return found


def count_rows(upload_id: str, head: Head, column: int) -> Head:
    """Return a head with the preview's row count, once the preview has read all rows.

    A workbook states the end of its sheet; blank rows and totals are not rows of the list.
    """
    try:
        found = desk.previews.recall(account, upload_id, head, column)
    except WinnowError:  # shown next to the preview
        return head
    return replace(head, row_count=found.rows) if found is not None and found.is_exact else head


def find_question(
    look: Callable[[str, str, Head, int], Preview | None], upload_id: str, head: Head, column: int
) -> Question | None:
    """Return the question that the preview raises; None without a preview."""
    try:
        found = look(account, upload_id, head, column)
    except WinnowError:  # shown next to the preview
        return None
    if found is None:
        return None
    subject = upload_id, column, read_choices(page_params, head.sheets)
    return Question(found, name_column(head, column), subject)


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def forbid(upload: Upload) -> None:
    """Draw the upload of do-not-mail files for a list that is not cleaned yet."""
    files = desk.suppressions.list_of_upload(account, upload.upload_id)
    with st.container(key="do_not_mail", gap="small"):
        st.html(f'<p class="w-understood">{title_suppressions(files)}</p>')
        if draw_suppressions(
            files,
            beside="uploads",
            list_id=upload.upload_id,
            token=desk.uploads.issue_token(account),
            free_bytes=desk.usage.storage(account).free_bytes,
            remove=partial(desk.suppressions.remove, account),
        ):
            st.rerun()


def go(upload: Upload, head: Head, column: int | None, removal: Removal) -> None:
    """Step three: start the run and open the project."""
    st.header(say("3 · Start"))
    forbid(upload)
    first = ""
    if column is None:
        first = say("First choose the email column.")
    elif awaits_header(head, column):
        first = say("First choose whether there is a header row.")
    elif removal.is_open:
        first = say("First choose the date column.")
    question = None
    if column is not None and removal.deduplicate and not first:
        question = find_question(desk.previews.recall, upload.upload_id, head, column)
    stem = upload.file_name[: -len(head.file_format) - 1]
    repairs = recall(upload.upload_id)[1]
    order = draw_go(head, stem=stem, first=first, question=question, repairs=repairs)
    write_run_choices(removal, repairs=order.repair is not None)
    if not order.starts or column is None:
        return
    if removal.deduplicate and question is None:
        question = find_question(desk.previews.look, upload.upload_id, head, column)
        if question is not None and question.is_open:
            st.rerun()
    try:
        task = desk.tasks.submit(
            account,
            upload.upload_id,
            RunRequest(
                choices=read_choices(page_params, head.sheets),
                email_column=column,
                deduplicate=removal.deduplicate,
                keep=removal.keep or KEEP_USUAL,
                repair=order.repair,
            ),
            project_name=order.project_name,
        )
    except WinnowError as error:
        draw_error(error, kept=say("Your file is still here."))
        return
    st.switch_page(page_urls.PROJECT, query_params={"task": task.task_id})


st.title(say("Clean a list"))
upload_id = page_params.get("upload")
upload = None
if upload_id:
    try:
        upload = desk.uploads.get(account, upload_id)
    except Gone:
        st.info(
            say(
                "That file is no longer here: it was cleaned, replaced, or uploaded more than "
                "a day ago."
            )
        )
elif started := page_params.get("task"):  # reloaded between the start and the project's page
    st.page_link(
        page_urls.PROJECT,
        label=say("Open the project that was started here"),
        icon=":material/arrow_forward:",
        query_params={"task": started},
    )
st.header(say("1 · Choose a file"))
if upload is None:
    drop()
elif draw_arrived(upload):
    desk.uploads.discard(account, upload.upload_id)
    page_params.clear()
    st.rerun()
else:
    looked = look(upload.upload_id)
    if looked is not None:
        go(upload, *looked)
