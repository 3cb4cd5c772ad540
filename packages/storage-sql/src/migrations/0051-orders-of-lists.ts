import type { Migration } from './migration.ts'
import { firstOrders, orderTriggers } from './value-triggers.ts'

/**
 * The orders by e-mail address and by phone number get an index: a row for each user with the value that decides (RFC 7644
 * §3.4.2.3), which may be none. Orders of the host's own attributes are written when a new version of the server first uses
 * them.
 */
export const ordersOfLists: Migration = {
  number: 51,
  name: '0051-orders-of-lists',
  statements: (types) => {
    const triggers = orderTriggers(types)
    return [
      // First: it keeps writers out until the rows of all users are there.
      ...triggers.flatMap(types.dropTrigger),
      firstOrders(types),
      ...triggers.flatMap(types.trigger),
    ]
  },
}
