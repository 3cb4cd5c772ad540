import { addProviderSecret, endPreviousProviderSecrets } from '@mintmark/scim'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { findProvider } from './find-provider.ts'
import { providerView } from './provider-view.ts'

/** @returns the Secret Token: this is the only time that anybody sees it. */
export const addSecretToken = (
  id: string,
  { previousExpiresAt }: { readonly previousExpiresAt?: number | undefined },
  acting: AdminContext,
): Promise<string> =>
  audit(
    {
      name: 'provider.secret_added',
      target: { kind: 'provider', id },
      run: async () => {
        const { issuer } = acting.storage
        const before = await findProvider(id, acting)
        const result = await addProviderSecret(id, previousExpiresAt === undefined ? {} : { previousExpiresAt }, acting)
        const after = await findProvider(id, acting)
        return {
          result,
          before: plainJson(providerView(before, issuer)),
          after: plainJson(providerView(after, issuer)),
        }
      },
    },
    acting,
  )

export const endPreviousSecretTokens = (id: string, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'provider.previous_secrets_ended',
      target: { kind: 'provider', id },
      protective: true,
      run: async () => {
        const { issuer } = acting.storage
        const before = await findProvider(id, acting)
        await endPreviousProviderSecrets(id, acting)
        const after = await findProvider(id, acting)
        return {
          result: undefined,
          before: plainJson(providerView(before, issuer)),
          after: plainJson(providerView(after, issuer)),
        }
      },
    },
    acting,
  )
