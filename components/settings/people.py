"""People settings: the role of each, removal with the keys that end, and the audit log."""

from collections.abc import Mapping

import streamlit as st

from components.frame.error_boundary import dialog, guard
from components.frame.html import escape_markdown
from components.frame.session import find_zone, set_widget
from components.kit.notices import draw_confirmation, draw_refusal, keep_refusal
from winnow.core.identities import Event, Person, Role
from winnow.services.accounts.audit_log import ENTRIES_SHOWN, AuditLog
from winnow.services.accounts.people import People
from winnow.services.services import Services
from winnow.words import format_number, say, say_many, translatable

_PLACE = "people"


def draw_people(services: Services) -> None:
    """Draw a line for each person, and how people are added."""
    people = services.people.list()
    if not people:
        st.markdown(
            say(
                "No people yet. After `winnow people add NAME --role admin` everyone "
                "signs in by name, on this machine too."
            )
        )
        return
    st.caption(
        say(
            "Readers see and download; members can do everything except manage people, other "
            "people's keys and the network. People are added by `winnow people add NAME`."
        )
    )
    draw_refusal(_PLACE)
    for person in people:
        _draw_person(services.people, person)


def _draw_person(people: People, person: Person) -> None:
    """Draw a person's name, role, and the button that removes them."""
    key = f"role_{person.name}"

    @guard
    def change() -> None:
        with keep_refusal(_PLACE):
            people.change_role(person.name, Role(st.session_state[key]))

    with st.container(horizontal=True, vertical_alignment="center", border=True):
        way = "" if person.has_password else f"  \n{say('Signs in by the proxy only')}"
        st.markdown(f"**{escape_markdown(person.name)}**{way}", width="stretch")
        set_widget(key, person.role)
        st.selectbox(
            say("Role of {person}", person=escape_markdown(person.name)),
            list(Role),
            format_func=lambda role: say(role.words),
            key=key,
            on_change=change,
            label_visibility="collapsed",
            width=160,
        )
        if st.button(say("Remove"), key=f"remove_{person.name}"):
            confirm_removal(people, person)


@dialog(translatable("Remove this person?"))
def confirm_removal(people: People, person: Person) -> None:
    """Ask once: name the person and the keys that end."""
    keys = people.list_keys(person.name)
    st.markdown(
        say(
            "**{person}** is signed out within a minute. Projects and lists stay.",
            person=escape_markdown(person.name),
        )
    )
    if keys:
        st.markdown(say_many(len(keys), "{count} key ends:", "{count} keys end:"))
        st.markdown("\n".join(f"- {escape_markdown(key.name)} `{key.prefix}…`" for key in keys))

    @guard
    def remove() -> None:
        with keep_refusal(_PLACE):
            people.remove(person.name)

    draw_confirmation(
        say("Keep the person"), say("Remove the person"), key="remove", on_click=remove
    )


EVENT_WORDS: Mapping[Event, str] = {
    Event.SUBMITTED: translatable("List submitted"),
    Event.DOWNLOADED: translatable("Downloaded"),
    Event.DELETED: translatable("Project deleted"),
    Event.ERASED: translatable("Project deleted for good"),
    Event.RESTORED: translatable("Project restored"),
    Event.OVERRULED: translatable("Verdict overruled"),
    Event.LISTS_CHANGED: translatable("Lists changed"),
    Event.POLICY_CHANGED: translatable("Policy changed"),
    Event.KEY_MADE: translatable("Key made"),
    Event.KEY_REVOKED: translatable("Key revoked"),
    Event.HOOK_CHANGED: translatable("Hook changed"),
    Event.HOOK_REPLAYED: translatable("Hook called again"),
    Event.SIGNED_IN: translatable("Signed in"),
    Event.SIGN_IN_FAILED: translatable("Sign-in failed"),
    Event.PEOPLE_CHANGED: translatable("People changed"),
    Event.NETWORK_CHANGED: translatable("Network changed"),
}


def draw_audit_log(audit_log: AuditLog) -> None:
    """Draw the newest events as a table, and the button that exports all of a year as CSV."""
    entries = audit_log.list()
    st.caption(
        say(
            "Kept for a year, without addresses and cells of lists. The newest {count} are shown.",
            count=format_number(ENTRIES_SHOWN),
        )
    )
    if not entries:
        st.markdown(say("Nothing is recorded yet."))
        return
    zone, column = find_zone(), st.column_config
    st.dataframe(
        {
            "time": [one.recorded_at.astimezone(zone) for one in entries],
            "person": [one.person or one.key for one in entries],
            "event": [say(EVENT_WORDS[one.event]) for one in entries],
            "subject": [one.subject for one in entries],
        },
        hide_index=True,
        alt=say("Events, the newest first"),
        column_config={
            "time": column.DatetimeColumn(say("Time"), format="YYYY-MM-DD HH:mm:ss", width=160),
            "person": column.TextColumn(say("Person or key"), width=180),
            "event": column.TextColumn(say("Event"), width=160),
            "subject": column.TextColumn(say("Id"), width=320),
        },
    )
    st.download_button(
        say("Export a year as CSV"),
        data=audit_log.export_csv,
        file_name="audit-log.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="audit_export",
    )
