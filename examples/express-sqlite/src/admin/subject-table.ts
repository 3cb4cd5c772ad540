import { html, type Markup } from '../site/html.ts'

/** What one can go to from a list: a name that leads there, and how it stands. */
interface Subject {
  readonly address: string
  readonly name: string
  readonly state: string
}

/** A list of what is administered. */
export const subjectTable = (subjects: readonly Subject[]): Markup => html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${subjects.map(
  ({ address, name, state }) => html`<tr><td><a href="${address}">${name}</a></td><td>${state}</td></tr>`,
)}</tbody>
</table>`
