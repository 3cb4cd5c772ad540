import { clientId } from '@mintmark/storage-interface'
import { aClientRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { unverifiedHost } from '../clients/unverified-host.ts'
import { accountNameOf } from './pending-interaction.ts'

it.each([
  [{ email: 'ann@example.test', preferred_username: 'ann', name: 'Ann Lee' }, 'ann@example.test'],
  [{ email: '', preferred_username: 'ann', name: 'Ann Lee' }, 'ann'],
  [{ preferred_username: 7, name: 'Ann Lee' }, 'Ann Lee'],
  [{}, aUser().userId],
])('names the account of a user with the claims %j: %s (OIDC Core §5.1)', (claims, name) => {
  expect(accountNameOf({ ...aUser(), claims })).toBe(name)
})

it.each([
  ['an administrator registered', {}, undefined],
  ['registered itself', { origin: 'registration', selfManagement: { statementIssuer: null } }, 'partner.test'],
  [
    'registered itself with a signed statement',
    {
      origin: 'registration',
      selfManagement: { statementIssuer: 'https://trust.test', statementMembers: ['client_name'] },
    },
    undefined,
  ],
  [
    'registered itself with a signed statement without a name',
    {
      origin: 'registration',
      selfManagement: { statementIssuer: 'https://trust.test', statementMembers: ['logo_uri'] },
    },
    'partner.test',
  ],
  ['registered itself and an administrator changed', { origin: 'registration', selfManagement: undefined }, undefined],
  [
    'describes itself at a URL',
    { clientId: clientId('https://tool.test/client'), origin: 'document', documentDigest: 'd' },
    'tool.test',
  ],
] as const)('returns the host of a client that %s, unless its name is verified (RFC 7591 §5)', (_, change, shown) => {
  expect(unverifiedHost(aClientRecord(change), 'https://partner.test/cb')).toBe(shown)
})

it.each([
  ['http://127.0.0.1:5000/cb', '127.0.0.1:5000'],
  ['com.example.app:/cb', 'com.example.app'],
  // Nobody owns the host of such an address.
  ['com.example.app://bank.test/cb', 'com.example.app'],
])('shortens the redirect URI %s of a client that registered itself to %s', (redirectUri, shown) => {
  const client = aClientRecord({ origin: 'registration', selfManagement: { statementIssuer: null } })

  expect(unverifiedHost(client, redirectUri)).toBe(shown)
})
