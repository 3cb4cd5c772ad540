import type { EpochSeconds } from '@mintmark/storage-interface'

import { html, type Markup } from '../site/html.ts'

/** A moment, to the minute. */
export function shownTime(at: EpochSeconds): Markup {
  const text = new Date(at * 1000).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`
}
