import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import type { ServerEvent } from '../event/server-event.ts'
import { createStoredKeys } from '../keys/stored-keys.ts'
import { createAuthorizationServer } from './create-authorization-server.ts'
import type { AuthorizationServerOptions } from './options.ts'

function eventsAtStart(change: Partial<AuthorizationServerOptions>): readonly ServerEvent[] {
  const issuer = change.issuer ?? 'https://as.test'
  const storage = createMemoryStorage({ issuer })
  const events: ServerEvent[] = []
  createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
    signedIn: () => Promise.resolve(undefined),
    onEvent: (event) => void events.push(event),
    ...change,
  })
  return events
}

it('a server with safe options has nothing to say when it starts', () => {
  expect(eventsAtStart({})).toEqual([])
})

it.each([
  ['issuer', { issuer: 'http://localhost:3000' }],
  ['dangerouslyAllowMissingPkceFor', { dangerouslyAllowMissingPkceFor: ['legacy'] }],
  ['lifetimes.accessToken', { lifetimes: { accessToken: 3601 } }],
])('the unsafe option %s names itself when the server starts', (option, change) => {
  expect(eventsAtStart(change)).toMatchObject([{ type: 'option.unsafe', option }])
})
