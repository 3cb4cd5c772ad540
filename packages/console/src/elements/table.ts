import { cleanName } from '@mintmark/internal'
import { address, type Fragment, html } from '@mintmark/pages/internal'

import type { Visit } from '../visit.ts'

/** A cell: text that the page may have received from strangers, or markup. */
type Cell = string | Fragment

/** A list of records. */
export interface Table {
  /** The title of the section, which also names the table for screen readers. */
  readonly title: string
  readonly id: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The text of a table without rows. */
  readonly empty?: string
}

/** What a table needs of a visit. */
interface TextsOfTable {
  readonly messages: { readonly empty: string }
}

/** Renders a table in a region that scrolls on narrow screens, also with the keyboard. */
export function table({ title, id, columns, rows, empty }: Table, { messages }: TextsOfTable): Fragment {
  if (rows.length === 0) return html`<p>${empty ?? messages.empty}</p>`
  return html`<div class="table" role="group" tabindex="0" aria-label="${title}">
<table id="${id}">
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${isolated(cell)}</td>`)}</tr>`)}</tbody>
</table>
</div>`
}

/** Renders a table as a section of a page. */
export const tableSection = (content: Table, visit: TextsOfTable, after?: Fragment): Fragment =>
  html`<section aria-labelledby="${content.id}-title">
<h2 id="${content.id}-title">${content.title}</h2>
${table(content, visit)}
${after}
</section>`

/** In `<bdi>`, a right-to-left value cannot rearrange the text around it. */
const isolated = (cell: Cell): Fragment => (typeof cell === 'string' ? html`<bdi>${cleanName(cell)}</bdi>` : cell)

/** Renders facts about one record: names and values. */
export const facts = (entries: readonly (readonly [name: string, value: Cell])[]): Fragment =>
  html`<dl>${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${isolated(value)}</dd>`)}</dl>`

export const code = (text: string): Fragment => html`<code><bdi>${text}</bdi></code>`

/** Renders a list of codes, one on each line. */
export const codes = (texts: readonly string[]): Fragment =>
  html`${texts.map((text, at) => html`${at === 0 ? undefined : html`<br>`}${code(text)}`)}`

/** Renders the links to the first and the next page of a list. */
export function pageLinks({ request: { url }, messages }: Visit, next: string): Fragment | undefined {
  const isFirst = !url.searchParams.has('after')
  if (isFirst && next === '') return undefined
  const linkTo = (after: string | undefined, label: string) => {
    const target = new URL(url)
    target.searchParams.delete('done')
    if (after === undefined) target.searchParams.delete('after')
    else target.searchParams.set('after', after)
    return html`<a class="button" ${address('href', target.href)}>${label}</a>`
  }
  return html`<div class="buttons">${isFirst ? undefined : linkTo(undefined, messages.buttons.first)}${
    next === '' ? undefined : linkTo(next, messages.buttons.next)
  }</div>`
}
