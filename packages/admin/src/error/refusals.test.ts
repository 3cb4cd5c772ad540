import { ScimError } from '@mintmark/scim'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { toAdminError } from './refusals.ts'

test.each([
  [
    'an invalid filter',
    new ScimError(400, 'No.', { scimType: 'invalidFilter', reason: 'filter_empty' }),
    'filter_invalid',
  ],
  [
    'a SCIM error other than an invalid filter',
    new ScimError(409, 'No.', { scimType: 'uniqueness', reason: 'user_name_taken' }),
    'unexpected_failure',
  ],
  ['an outage of storage', new StorageUnavailableError('The database is down.'), 'storage_unavailable'],
  ['any other error', new TypeError('A mistake.'), 'unexpected_failure'],
])('converts %s to an AdminError, with the error as its cause', (_, thrown, reason) => {
  expect(toAdminError(thrown)).toMatchObject({ reason, cause: thrown })
})
