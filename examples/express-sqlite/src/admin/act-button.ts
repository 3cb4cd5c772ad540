import { html, type Markup } from '../site/html.ts'

/** A button that does something to what the page is about. */
export interface ActButton {
  readonly act: string
  readonly label: string
}

/** Buttons in one form, which is posted to the page's own address. */
export const actButtons = (address: string, buttons: readonly (ActButton | undefined)[]): Markup =>
  html`<form class="actions" method="post" action="${address}">${buttons
    .filter((button) => button !== undefined)
    .map(({ act, label }) => html`<button type="submit" name="act" value="${act}">${label}</button>`)}</form>`
