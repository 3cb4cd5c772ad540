import { addClientSecret, endPreviousClientSecrets } from '@mintmark/core'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { clientView } from './client-view.ts'
import { findClient } from './find-client.ts'
import { requireGrantable } from './require-grantable.ts'

/** @returns the secret: this is the only time that anybody sees it. */
export const addSecret = (
  id: string,
  { previousExpiresAt }: { readonly previousExpiresAt?: number | undefined },
  acting: AdminContext,
): Promise<string> =>
  audit(
    {
      name: 'client.secret_added',
      target: { kind: 'client', id },
      run: async () => {
        const before = await findClient(id, acting)
        requireGrantable(before.scopes, acting)
        const result = await addClientSecret(id, previousExpiresAt === undefined ? {} : { previousExpiresAt }, acting)
        const after = await findClient(id, acting)
        return { result, before: plainJson(clientView(before)), after: plainJson(clientView(after)) }
      },
    },
    acting,
  )

export const endPreviousSecrets = (id: string, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'client.previous_secrets_ended',
      target: { kind: 'client', id },
      protective: true,
      run: async () => {
        const before = await findClient(id, acting)
        await endPreviousClientSecrets(id, acting)
        const after = await findClient(id, acting)
        return { result: undefined, before: plainJson(clientView(before)), after: plainJson(clientView(after)) }
      },
    },
    acting,
  )
