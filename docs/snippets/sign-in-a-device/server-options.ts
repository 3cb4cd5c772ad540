import type { AuthorizationServerOptions } from '@mintmark/core'
import { devicePage } from '@mintmark/pages'

/** Add these to the options of your server. */
export const options = {
  device: {
    renderPage: devicePage,
    // The header that your proxy sets, and that it removes from the requests of browsers.
    address: (request) => request.headers.get('x-real-ip') ?? undefined,
  },
} satisfies Partial<AuthorizationServerOptions>
