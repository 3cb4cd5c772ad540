import { expect, it } from 'vitest'

import { showThing } from './show.ts'

it('times are shown as people read them, within lists too', () => {
  const lines: string[] = []
  const io = { out: (line: string) => void lines.push(line) }

  showThing({ name: 'App', createdAt: 0, secrets: [{ createdAt: 0, lastUsedAt: 60 }] }, { io })

  expect(lines).toEqual([
    'name       App',
    'createdAt  1970-01-01T00:00:00Z',
    'secrets    [{"createdAt":"1970-01-01T00:00:00Z","lastUsedAt":"1970-01-01T00:01:00Z"}]',
  ])
})
