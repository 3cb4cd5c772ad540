import { digestSecret, randomSecret } from '@mintmark/internal'
import { after, type EpochSeconds, seconds } from '@mintmark/storage-interface'

import { type AdminContext, audit } from '../audit/audit.ts'
import { refuse } from '../error/refusals.ts'
import { changeStored } from './provider-changes.ts'

/** A new set-up link. Its address contains a secret, and cannot be read again. */
export interface CreatedSetupLink {
  readonly url: string
  readonly expiresAt: EpochSeconds
}

/** Creates the link of a provider, in place of an earlier one. */
export const createSetupLink = (
  id: string,
  { lifetime = defaultLifetime }: { readonly lifetime?: number | undefined },
  context: AdminContext,
): Promise<CreatedSetupLink> =>
  audit(
    {
      name: 'provider.setup_link_created',
      target: { kind: 'provider', id },
      run: async () => {
        if (!Number.isSafeInteger(lifetime) || lifetime < 1 || lifetime > maximumSetupLifetime)
          throw refuse('setup_link_invalid', { pointer: '/lifetime' })
        const secret = randomSecret(context.random)
        const digest = await digestSecret(await sessionOf(secret))
        const createdAt = context.clock()
        const expiresAt = after(createdAt, seconds(lifetime))
        const setupLink = { digest, createdAt, expiresAt }
        const changed = await changeStored({ providerId: id }, (before) => ({ ...before, setupLink }), context)
        const { issuer } = context.storage
        // The provider, and 256 random bits. No provider id contains an underscore.
        const url = `${issuer}${context.setupPath}/${setupTokenPrefix}${id}_${secret}`
        return { ...changed, result: { url, expiresAt } }
      },
    },
    context,
  )

/** A week: the customer may have to wait for the person who administers the directory. */
const defaultLifetime = 604_800
/** In seconds: 30 days. */
export const maximumSetupLifetime = 2_592_000

/** By it, secret scanners recognise a link. */
export const setupTokenPrefix = 'mmsetup_'

/** Revokes the link of a provider, and the cookies that it was exchanged for. Without a link, nothing changes. */
export const revokeSetupLink = (id: string, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'provider.setup_link_revoked',
      target: { kind: 'provider', id },
      protective: true,
      run: async () => {
        const withoutLink = changeStored({ providerId: id }, (before) => ({ ...before, setupLink: undefined }), context)
        return { ...(await withoutLink), result: undefined }
      },
    },
    context,
  )

/** Derives the value of the cookie from the secret of a link. Whoever reads the cookie cannot compute the link. */
export const sessionOf = async (secret: string): Promise<string> => digestSecret(secret)
