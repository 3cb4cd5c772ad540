import type { ScopeOption } from '@mintmark/core'

/** For the option `scopes` of your server. */
export const scopes: Readonly<Record<string, string | ScopeOption>> = {
  'orders.read': 'See your orders',
  loyalty: { description: 'See your loyalty number', claims: ['loyalty_number'] },
}
