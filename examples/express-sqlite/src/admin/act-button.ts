import { html, type Markup } from '../site/html.ts'

/** A button that does something to what the page is about. */
interface ActButton {
  readonly act: string
  readonly label: string
}

/** Buttons in one form, which is posted to the page's own address; nothing when there are none. */
export function actButtons(address: string, ...buttons: readonly (ActButton | undefined)[]): Markup | undefined {
  const shown = buttons.filter((button) => button !== undefined)
  if (shown.length === 0) return undefined
  return html`<form class="actions" method="post" action="${address}">${shown.map(
    ({ act, label }) => html`<button type="submit" name="act" value="${act}">${label}</button>`,
  )}</form>`
}

/** What ends the use of something that is in use, and takes it up again. */
export const disableButton = (disabledAt: number | undefined): ActButton =>
  disabledAt === undefined ? { act: 'disable', label: 'Disable' } : { act: 'enable', label: 'Enable' }
