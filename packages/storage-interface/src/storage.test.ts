import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'
import { requireStores } from './storage.ts'

describe('requireStores', () => {
  const storage = createMemoryStorage({ issuer: 'https://issuer.example' })
  const { organizations: _organizations, logs: _logs, ...scimStorage } = storage

  it.each(['oauth', 'scim', 'admin'] as const)('accepts a storage that has every store of %s', (capability) => {
    expect(() => requireStores(storage, { capability, feature: 'A feature' })).not.toThrow()
  })

  it('does not ask for the stores of a feature that is not used', () => {
    expect(() => requireStores(scimStorage, { capability: 'scim', feature: 'createScimServer' })).not.toThrow()
  })

  it('names the feature, the missing stores and the interface to implement', () => {
    expect(() => requireStores(scimStorage, { capability: 'admin', feature: 'Administration' })).toThrow(
      'Administration needs a storage with `organizations`, `logs`. ' +
        'Provide every store of `AdminStorage`: docs/how-to/write-a-store.md.',
    )
  })
})
