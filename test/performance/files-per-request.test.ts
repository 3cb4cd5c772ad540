import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainCode, redeem } from '../support/flow.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startServer } from '../support/server-under-test.ts'
import { enteredFiles } from './entered-files.ts'

let folder: string
let site: ScimSite
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-'))
  const dialect = openSqliteDialect(join(folder, 'files.db'), { migrate: 'on-open' })
  const storage = await createSqlStorage({ issuer: 'https://as.test', dialect })
  site = await startScimSite({ oauth: await startServer({ storage }) })
})
afterAll(async () => {
  await site.close()
  await rm(folder, { recursive: true })
})

// A reader who follows a request opens each of these files.
describe('files that a warm request enters, on SQLite', () => {
  it('POST /token with a code enters at most 33', async () => {
    const exchange = async (): Promise<readonly string[]> => {
      const code = await obtainCode(site.oauth, { scope: 'openid profile offline_access' })
      return enteredFiles(() => redeem(site.oauth, code))
    }
    await exchange()

    const entered = await fewestFiles(exchange)

    expect(entered.length, entered.join('\n')).toBeLessThanOrEqual(33)
  })

  it('a SCIM PATCH of active enters at most 43', async () => {
    const created = await site.send({
      method: 'POST',
      path: '/Users',
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'kim', externalId: 'k1' },
    })
    const { id } = created.json as { readonly id: string }
    const patch = (active: boolean) =>
      site.send({
        method: 'PATCH',
        path: `/Users/${id}`,
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'active', value: active }],
        },
      })
    await patch(false)
    await patch(true)

    const entered = await fewestFiles(async () => {
      await patch(true)
      return enteredFiles(() => patch(false))
    })

    // The limit includes waking the worker that sends logout tokens, and reading long messages and many groups in pieces.
    expect(entered.length, entered.join('\n')).toBeLessThanOrEqual(43)
  })
})

/** Measures three times. @returns the fewest files, because timers of other tests run in the same process. */
async function fewestFiles(measure: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const measured = [await measure(), await measure(), await measure()]
  return measured.toSorted((a, b) => a.length - b.length)[0] ?? []
}
