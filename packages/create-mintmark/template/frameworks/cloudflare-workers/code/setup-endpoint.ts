import { createHash, timingSafeEqual } from 'node:crypto'

import type { Endpoint, ServerResponse } from '@mintmark/core/http'
import type { ScimStorage } from '@mintmark/storage-interface'

import { createFirstUser } from '#first-user'
import type { Tables } from '#query'
import { createRecords } from '#records'
import type { Users } from '#users'

interface SetUp {
  readonly issuer: string
  /** The secret SETUP_KEY; empty for none. */
  readonly key: string
  readonly storage: ScimStorage
  readonly tables: Tables
  readonly users: Users
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Creates the endpoint that `npm run setup` calls: a user, a client and a directory, unless they exist. It answers with the
 * lines to print, which contain each new secret once.
 */
export function createSetUp({ key, ...parts }: SetUp): Endpoint {
  return async ({ method, headers }) => {
    if (key === '') return respond(404, 'The Worker has no secret SETUP_KEY.')
    const given = headers.get('authorization') ?? ''
    if (method !== 'POST' || !timingSafeEqual(digest(given), digest(`Bearer ${key}`))) {
      return respond(401, 'SETUP_KEY of the Worker is another one.')
    }
    const lines: string[] = []
    const target = { ...parts, print: (line: string) => void lines.push(line) }
    await createFirstUser(target)
    await createRecords(target)
    return respond(
      200,
      [...lines, 'Done. Existing records were not changed, and their secrets cannot be shown again.'].join('\n'),
    )
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const respond = (status: number, text: string): ServerResponse => ({
  status,
  headers: [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Cache-Control', 'no-store'],
  ],
  body: `${text}\n`,
})
