import { digestSecret, equalInConstantTime } from '@mintmark/internal'
import { isActiveSecret } from '@mintmark/scim/engine'
import { type EpochSeconds, providerId } from '@mintmark/storage-interface'
import type { IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import type { LogEntryView } from '../audit/audit-log.ts'
import type { Actor } from '../audit/admin-event.ts'
import { AdminError } from '../error/refusals.ts'
import { administerProviders } from './provider-administration.ts'
import { type ProviderSetup, providerView, type ProviderView, type SetupProduct } from './provider-view.ts'
import { sessionOf, setupTokenPrefix } from './setup-link.ts'

/** What the page for the holders of set-up links needs. `createDirectorySetup` of the console is that page. */
export interface SetupLinks {
  /** The path of the page, below the issuer. Links begin with it. */
  readonly path: string
  /**
   * Exchanges the last part of a link for the value of a cookie; undefined if the link is unknown, expired or revoked.
   * The audit log gets an entry.
   * @throws AdminError if the entry cannot be written, or storage fails.
   */
  exchange(token: string): Promise<SetupSession | undefined>
  /** Returns what the value of a cookie allows; undefined once its link is expired or revoked. */
  open(session: string): Promise<DirectorySetup | undefined>
}

/** What a link was exchanged for. */
interface SetupSession {
  /** A secret. Its characters are allowed in a cookie. */
  readonly value: string
  readonly expiresAt: EpochSeconds
}

/** What the holder of a set-up link may see and do. Every member is about the one directory of the link. */
export interface DirectorySetup {
  readonly directory: Pick<
    ProviderView,
    'providerId' | 'displayName' | 'tenantUrl' | 'secrets' | 'disabledAt' | 'verifiedDomains'
  > & {
    /** When it reached its limit of deactivations, and no administrator has let it go on. */
    readonly suspendedAt: EpochSeconds | undefined
  }
  /** When the link expires. */
  readonly expiresAt: EpochSeconds
  readonly now: EpochSeconds
  /** Returns what to do in the console of a product. */
  setup(product: SetupProduct): Promise<ProviderSetup>
  /** Returns the last requests of the directory, newest first: see `keepRequestLog`. */
  requests(limit: number): Promise<readonly LogEntryView[]>
  /** Whether a text is a Secret Token of the directory that has not expired. */
  isSecret(text: string): Promise<boolean>
  /** Adds a Secret Token, and returns it; undefined if there are too many. The current ones expire in an hour. */
  addSecret(): Promise<string | undefined>
  /** Revokes all Secret Tokens except the newest. */
  revokePreviousSecrets(): Promise<void>
  /** Revokes the link. */
  revokeLink(): Promise<void>
}

/** Creates the exchange of links. `as` returns the context in which an actor acts. */
export function createSetupLinks(
  { storage, clock, setupPath }: Pick<AdminContext, 'storage' | 'clock' | 'setupPath'>,
  as: (actor: Actor) => AdminContext,
): SetupLinks {
  /** Finds the provider that a cookie value belongs to. All wrong values get the same answer. */
  async function find(value: string): Promise<ProviderWithLink | undefined> {
    const parts = partsOf(value)
    if (parts === undefined) return undefined
    const provider = await storage.identityProviders.find(providerId(parts.id))
    const digest = await digestSecret(parts.secret)
    const link = provider?.setupLink
    if (provider === undefined || link === undefined || clock() >= link.expiresAt) return undefined
    return equalInConstantTime(digest, link.digest) ? { ...provider, setupLink: link } : undefined
  }

  return {
    path: setupPath,
    async exchange(token) {
      const parts = token.startsWith(setupTokenPrefix) ? partsOf(token.slice(setupTokenPrefix.length)) : undefined
      if (parts === undefined) return undefined
      const value = `${parts.id}_${await sessionOf(parts.secret)}`
      const provider = await find(value)
      if (provider === undefined) return undefined
      const { providerId: id, setupLink } = provider
      const opened = { result: { value, expiresAt: setupLink.expiresAt } }
      const target = { kind: 'provider' as const, id }
      return audit({ name: 'provider.setup_link_used', target, run: () => Promise.resolve(opened) }, as(actorFor(id)))
    },
    async open(session) {
      const provider = await find(session)
      return provider && setupOf(provider, as(actorFor(provider.providerId)))
    },
  }
}

/** Splits the value of a cookie, or a link after its prefix. */
function partsOf(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = /^([A-Za-z0-9-]{1,64})_([A-Za-z0-9_-]{43})$/.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

type ProviderWithLink = IdentityProviderRecord & {
  readonly setupLink: NonNullable<IdentityProviderRecord['setupLink']>
}

/** The holder of a link is not a user. The audit log says which link was used: a provider has one at a time. */
const actorFor = (id: string): Actor => ({ kind: 'host', id: `setup-link:${id}` })

function setupOf(provider: ProviderWithLink, context: AdminContext): DirectorySetup {
  const { providerId: id, setupLink, secrets } = provider
  const view = providerView(provider, context.storage.issuer)
  const { displayName, tenantUrl, disabledAt, deprovisioning, verifiedDomains } = view
  const administration = administerProviders(context)
  const now = context.clock()
  return {
    directory: {
      providerId: id,
      displayName,
      tenantUrl,
      secrets: view.secrets,
      disabledAt,
      suspendedAt: deprovisioning?.suspendedAt,
      verifiedDomains,
    },
    expiresAt: setupLink.expiresAt,
    now,
    setup: (product) => administration.setup(id, product),
    requests: async (limit) => (await administration.requests(id, { limit })).items,
    async isSecret(text) {
      const digest = await digestSecret(text)
      return secrets.some((secret) => isActiveSecret(secret, now) && equalInConstantTime(digest, secret.digest))
    },
    async addSecret() {
      try {
        return await administration.addSecret(id, { previousExpiresAt: now + 3600 })
      } catch (error) {
        // The audit log has the refusal, and the page says what to do.
        if (error instanceof AdminError && error.reason === 'too_many_secrets') return undefined
        throw error
      }
    },
    revokePreviousSecrets: () => administration.revokePreviousSecrets(id),
    revokeLink: () => administration.revokeSetupLink(id),
  }
}
