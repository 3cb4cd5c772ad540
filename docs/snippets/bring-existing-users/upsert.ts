import { createAdministration, type Administrations } from '@mintmark/admin'
import type { AdminStorage } from '@mintmark/storage-interface'

/** A user as the product stores it. */
interface ProductUser {
  readonly id: number
  readonly fullName: string
  readonly email: string
  readonly isDisabled: boolean
}

export const openAdministration = (storage: AdminStorage): Administrations => createAdministration({ storage })

export async function writeUsers(administrations: Administrations, users: readonly ProductUser[]): Promise<void> {
  const administration = administrations.as({ kind: 'host', id: 'sync' })
  const results = await administration.users.upsert(
    users.map(({ id, fullName, email, isDisabled }) => ({
      userId: String(id),
      claims: { name: fullName, email },
      active: !isDisabled,
    })),
  )
  for (const result of results) {
    if (result.outcome === 'refused') console.warn(`User ${result.userId} was refused: ${result.reason}`)
  }
}
