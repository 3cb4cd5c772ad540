import { fixtureUser } from '../fixture.ts'
import { digest } from './digest.ts'
import type { FloorFixture } from './floor-store.ts'
import { floorScope } from './floor-target.ts'

const clientSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
const sessionSecret = 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c'

export const floorSecrets = { clientSecret, cookies: [`session=${sessionSecret}`] }

export const floorFixture: FloorFixture = {
  clientId: 'client',
  secretDigest: digest(clientSecret),
  sessionDigest: digest(sessionSecret),
  user: { userId: fixtureUser.userId, active: true, claims: { email: fixtureUser.email } },
  grant: { grantId: 'grant', userId: fixtureUser.userId, scope: floorScope },
}
