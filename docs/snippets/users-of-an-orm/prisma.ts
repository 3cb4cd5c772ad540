import type { AuthorizationServerOptions } from '@mintmark/core'

/** The part of a generated Prisma client that is needed; `PrismaClient` with a model `User` satisfies it. */
interface Prisma {
  readonly user: {
    findUnique(query: {
      where: { id: string }
    }): PromiseLike<{ name: string | null; email: string; disabledAt: Date | null } | null>
  }
}

/** The option `users`. */
export const usersOfPrisma = (prisma: Prisma): NonNullable<AuthorizationServerOptions['users']> => ({
  async find(id) {
    const user = await prisma.user.findUnique({ where: { id } })
    if (user === null) return undefined
    const { name, email, disabledAt } = user
    return { active: disabledAt === null, claims: { ...(name !== null && { name }), email } }
  },
})
