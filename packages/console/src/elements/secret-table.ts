import { type Fragment, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import type { Visit } from '../visit.ts'
import { tableSection } from './table.ts'
import { time } from './time.ts'

interface Secrets {
  readonly title: string
  readonly secrets: readonly JsonObject[]
  readonly buttons: Fragment | undefined
}

/** Lists the times of secrets. The secrets themselves cannot be shown again. */
export function secretTable({ title, secrets, buttons }: Secrets, visit: Visit): Fragment {
  const { messages } = visit
  const { labels } = messages
  return tableSection(
    {
      title,
      id: 'secrets',
      columns: [labels.created, labels.lastUsed, labels.expires],
      rows: secrets.map((secret) => [
        time(secret['created_at'], messages),
        time(secret['last_used_at'], messages),
        time(secret['expires_at'], messages),
      ]),
    },
    visit,
    buttons && html`<div class="buttons">${buttons}</div>`,
  )
}
