import { expect, test } from 'vitest'

import { patchOp, startDirectory } from '../fixtures/directory-under-test.ts'

/** An administrator often sees only the detail, of a request with many operations or comparisons. */
test.each([
  [{ op: 'replace', path: 'costCentre', value: 'x' }, 'Received: costCentre.'],
  [{ op: 'replace', path: 'name.nick', value: 'x' }, 'Received: name.nick.'],
  [{ op: 'replace', path: 'urn:corp:2.0:User:badge', value: 'x' }, 'Received: urn:corp:2.0:User:badge.'],
  [{ op: 'replace', path: 'emails[type eq "work"].address', value: 'x' }, 'Attribute: emails. Received: address.'],
  [{ op: 'replace', path: 'emails[kind eq "work"].value', value: 'x' }, 'Attribute: emails. Received: kind.'],
  [{ op: 'replace', path: 'manager', value: 'x' }, 'Received: manager. Did you mean urn:'],
  // A malformed filter may contain a value of a user.
  [{ op: 'replace', path: 'emails[value eq "ada@example.test].type', value: 'x' }, 'Received: emails[.'],
])('the refusal of %j names what is wrong', async (operation, named) => {
  const directory = await startDirectory(1)
  const body = { schemas: [patchOp], Operations: [{ op: 'replace', path: 'title', value: 'Engineer' }, operation] }

  const reply = await directory.send({ method: 'PATCH', path: `/Users/${directory.users[0]}`, body })

  expect(reply.status).toBe(400)
  expect(reply.body?.['detail']).toContain(named)
  expect(JSON.stringify([reply.body, directory.events])).not.toContain('ada@example.test')
})

test.each([
  ['filter=userName pr and costCentre eq "4"', 'Received: costCentre.'],
  ['filter=emails[kind eq "work"]', 'Attribute: emails. Received: kind.'],
  ['filter=userName eq "a" or title ge 5', 'Attribute: title.'],
  ['filter=emails[primary eq "perhaps"]', 'Attribute: emails.primary.'],
  ['filter=meta.created gt "yesterday"', 'Attribute: meta.created.'],
  ['filter=active gt true', 'Attribute: active.'],
  ['filter=meta.lastModified co "2026"', 'Attribute: meta.lastModified.'],
  ['sortBy=costCentre', 'Received: costCentre.'],
])('the refusal of ?%s names what is wrong', async (query, named) => {
  const directory = await startDirectory(1)

  const reply = await directory.send({
    path: `/Users?${query.replace(/=(.*)/, (_, text: string) => `=${encodeURIComponent(text)}`)}`,
  })

  expect(reply.status).toBe(400)
  expect(reply.body?.['detail']).toContain(named)
})
