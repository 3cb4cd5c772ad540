import type { AuthorizationServerOptions } from '@mintmark/core'

import { payment } from '../payments/payment.ts'
import { findByEmail, sendMessage } from './app.ts'

/** Add these to the options of your server. */
export const options = {
  authorizationDetails: { payment },
  ciba: {
    async findUser({ kind, value }) {
      const user = kind === 'login_hint' ? await findByEmail(value) : undefined
      return user === undefined ? 'unknown' : { subject: user.id }
    },
    async askUser({ id, subject, client, details, bindingMessage }) {
      const what = details.map(({ title }) => title).join(', ')
      const text = `${client.clientName}: ${what}${bindingMessage === undefined ? '' : ` (${bindingMessage})`}`
      await sendMessage({ to: subject, text, requestId: id })
    },
  },
} satisfies Partial<AuthorizationServerOptions>
