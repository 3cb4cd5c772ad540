import type { AuthorizationServerOptions } from '@mintmark/core'

/** The option `claims`. */
export const claims: AuthorizationServerOptions['claims'] = async ({ destinations, user, subject, audience }) => {
  if (user === undefined || !audience.includes('https://api.example.com')) return {}
  const { plan, theme } = await settingsOf(subject)
  return {
    access_token: { plan },
    userinfo: { theme },
    // Only resource servers see this claim. It is computed at each introspection.
    ...(destinations.includes('introspection') && { introspection: { balance: await balanceOf(subject) } }),
  }
}

declare function settingsOf(user: string): Promise<{ readonly plan: string; readonly theme: string }>
declare function balanceOf(user: string): Promise<number>
