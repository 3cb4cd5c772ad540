// oidc-provider has no types. These declarations contain only what the benchmark uses.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    /** Whether the URL of a request follows from the headers of a proxy. */
    proxy: boolean
    callback(): RequestListener
    readonly Grant: new (properties: { readonly accountId: string; readonly clientId: string }) => {
      addOIDCScope(scope: string): void
      addResourceScope(resource: string, scope: string): void
      save(): Promise<string>
    }
    readonly Session: new () => {
      readonly id: string
      loginAccount(details: { readonly accountId: string }): void
      ensureClientContainer(clientId: string): void
      grantIdFor(clientId: string, grantId: string): void
      save(ttl: number): Promise<string>
    }
  }
}
