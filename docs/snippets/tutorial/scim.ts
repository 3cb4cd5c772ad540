import { createScimServer, logScimEvents } from '@mintmark/scim'
import { userId } from '@mintmark/storage-interface'
import { issuer, storage } from './authorization-server.ts'
import { allUsers } from './users.ts'

export const scim = createScimServer({
  issuer,
  storage,
  onEvent: logScimEvents(console),
  // Returns the existing user to link, if any. Only your code can decide; here it is a user of the same customer.
  async link({ providerId, resource }) {
    const user = allUsers().find(({ email, company }) => company === providerId && email === resource['userName'])
    return user && userId(user.id)
  },
})
