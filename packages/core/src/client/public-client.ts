import { defineClientAuthentication } from './client-authentication.ts'

/** `none`: a public client names itself and proves nothing; PKCE and its redirect URIs protect it (RFC 9700 §2.1.1). */
export const publicClient = defineClientAuthentication({
  method: 'none',
  read(request, form) {
    const clientId = form.get('client_id')
    const presentsMore =
      request.headers.has('authorization') ||
      form.get('client_secret') !== undefined ||
      form.get('client_assertion') !== undefined
    if (clientId === undefined || presentsMore) return undefined

    return { method: 'none', clientId, verify: () => Promise.resolve({}) }
  },
})
