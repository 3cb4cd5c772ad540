import { type AuthorizationServerOptions, certificateFromHeader } from '@mintmark/core'

/** Reads the certificates that nginx forwards, for createAuthorizationServer({ mutualTls, … }). */
export const mutualTls: AuthorizationServerOptions['mutualTls'] = {
  certificate: certificateFromHeader({
    format: 'nginx',
    trust: 'this_proxy_sets_and_strips_it',
    chain: { header: 'ssl-client-verify' },
  }),
  aliasOrigin: 'https://mtls.id.example.com',
}
