import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import { aWebhook } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, it, onTestFinished } from 'vitest'

import { openFormBrowser } from '../support/form-browser.ts'
import { backUp } from '../../docs/snippets/back-up-and-upgrade/back-up.ts'
import { revokeEverything } from '../../docs/snippets/back-up-and-upgrade/revoke-everything.ts'
import { addAnn, registerAtApp, sendTo } from './client-at-app.ts'

const issuer = 'https://login.example'

async function serve(file: string) {
  const dialect = openSqliteDialect(file, { migrate: 'on-open', synchronous: 'normal' })
  onTestFinished(() => dialect.close())
  const storage = await createSqlStorage({ issuer, dialect })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
    signedIn: () => Promise.resolve({ subject: 'user-1', authTime: Math.floor(Date.now() / 1000) }),
    pages: {
      login: (pending) => pending.deny(),
      consent: (pending) => pending.complete({ grantedScopes: pending.scopes.map(({ name }) => name) }),
    },
  })
  return { storage, server }
}

it('a restored backup accepts a token that was revoked after the backup, until revokeEverything revokes it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { storage, server } = await serve(join(folder, 'mintmark.db'))
  await addAnn(storage)
  const send = sendTo(server)
  const client = await registerAtApp(storage, {}, send)
  const { access_token: token } = await client.redeem(await openFormBrowser(send).open(await client.begin()))

  await backUp(join(folder, 'mintmark.db'), join(folder, 'backup.db'))
  await storage.users.deactivate(userId('user-1'), epochSeconds(Date.now() / 1000))
  copyFileSync(join(folder, 'backup.db'), join(folder, 'restored.db'))
  const restored = await serve(join(folder, 'restored.db'))
  const revived = await restored.server.accessToken(token)
  await restored.storage.webhooks.insert(aWebhook())
  const count = await revokeEverything(restored.storage)

  expect([await server.accessToken(token), revived?.subject, count]).toEqual([undefined, 'user-1', 1])
  expect(await restored.server.accessToken(token)).toBeUndefined()
  expect(await restored.storage.users.find(userId('user-1'))).toMatchObject({ active: true, generation: 1 })
  // A deactivation would disable the user's agents, and partners would lock the user out.
  const changes = await restored.storage.changes.list({ after: 0, limit: 10 })
  expect(changes.map(({ type }) => type)).not.toContain('user.deactivated')
})
