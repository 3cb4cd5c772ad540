import { type Fragment, html } from './html.ts'

/** Renders the day in UTC, because the server does not know the user's time zone. */
export function dateOf(seconds: number, lang: string): Fragment {
  const date = new Date(seconds * 1000)
  const day = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' }).format(date)
  return html`<time datetime="${date.toISOString()}">${day}</time>`
}
