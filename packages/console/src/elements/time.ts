import { type Fragment, html } from '@mintmark/pages/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import type { Messages } from '../languages/messages.ts'
import { numberOf } from '../values.ts'

/** Renders a time to the minute, in UTC, because the server does not know the time zone of the administrator. */
export function time(value: JsonValue | undefined, { lang, never }: Pick<Messages, 'lang' | 'never'>): Fragment {
  const seconds = numberOf(value)
  if (seconds === undefined) return html`${never}`
  const date = new Date(seconds * 1000)
  const text = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(date)
  return html`<time datetime="${date.toISOString()}">${text} UTC</time>`
}

/** Renders a count with the separators of the language, such as 10,003. */
export const count = (value: number, { lang }: Pick<Messages, 'lang'>): Fragment =>
  html`${new Intl.NumberFormat(lang).format(value)}`
