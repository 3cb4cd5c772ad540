import { defineResourceType } from './define-resource-type.ts'
import { enterpriseUserSchema } from './enterprise-user-schema.ts'
import { groupSchema } from './group-schema.ts'
import { userSchema } from './user-schema.ts'

/** Users with the enterprise extension (RFC 7643 §4.1, §4.3). A host that has extensions of its own defines its own type. */
export const userResourceType = defineResourceType({
  name: 'User',
  endpoint: '/Users',
  schema: userSchema,
  extensions: [enterpriseUserSchema],
})

/** Groups (RFC 7643 §4.2). */
export const groupResourceType = defineResourceType({ name: 'Group', endpoint: '/Groups', schema: groupSchema })
