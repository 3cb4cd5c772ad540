import { codeOf, tokensOf, type ClientRequests, type Tokens } from '../processes/client-requests.ts'
import type { Reply } from '../support/reply.ts'

export type OperationName = 'redeem' | 'replay' | 'rotate' | 'retry' | 'reuse' | 'revoke'

/** A client's request during which the server dies. */
export interface Deed {
  /** Sends the request. Its answer is lost. */
  perform(port: number): Promise<Reply>
  /** Asks the remaining servers and returns the violations. */
  examine(effect: 'none' | 'done'): Promise<readonly string[]>
}

/** Prepares requests with the server at `port`, which keeps running. */
export function operationsOf(
  requests: ClientRequests,
  port: number,
): Readonly<Record<OperationName, () => Promise<Deed>>> {
  const obtainCode = async (): Promise<string> => codeOf(await requests.authorize(port))
  const redeem = (code: string): Promise<Reply> => requests.redeem(port, code)
  const refresh = (tokens: Tokens): Promise<Reply> => requests.refresh(port, tokens.refresh_token)
  const obtain = async (): Promise<Tokens> => tokensOf(await redeem(await obtainCode()))
  const isLive = async (tokens: Tokens): Promise<boolean> => {
    const [access, renewal] = await Promise.all([
      requests.introspect(port, tokens.access_token),
      requests.introspect(port, tokens.refresh_token),
    ])
    return access.json['active'] !== false || renewal.json['active'] !== false
  }

  return {
    async redeem() {
      const code = await obtainCode()
      return {
        perform: (at) => requests.redeem(at, code),
        examine: async (effect) => {
          const again = await redeem(code)
          if (effect === 'done') {
            // RFC 6749 §4.1.2: a used code stays used; the client starts a new authorization request, which needs no
            // user interaction.
            const recovered = await redeem(await obtainCode())
            return [...is(again, 400), ...is(recovered, 200)]
          }
          const tokens = tokensOf(again)
          const renewed = tokensOf(await refresh(tokens))
          const third = await redeem(code)
          return [
            ...is(third, 400),
            ...unless(!(await isLive(tokens)) && !(await isLive(renewed)), 'alive after a replay'),
          ]
        },
      }
    },

    async replay() {
      const code = await obtainCode()
      const tokens = tokensOf(await redeem(code))
      return {
        perform: (at) => requests.redeem(at, code),
        examine: async (effect) => {
          const early = effect === 'done' && (await isLive(tokens))
          const again = await redeem(code)
          return [
            ...unless(!early, 'alive after its end'),
            ...is(again, 400),
            ...unless(!(await isLive(tokens)), 'alive'),
          ]
        },
      }
    },

    async rotate() {
      const tokens = await obtain()
      return {
        perform: (at) => requests.refresh(at, tokens.refresh_token),
        examine: async () => {
          // RFC 9700 §4.14.2: whether or not the token was rotated, the client gets one successor, always the same.
          const [first, second] = [tokensOf(await refresh(tokens)), tokensOf(await refresh(tokens))]
          const next = tokensOf(await refresh(first))
          const reused = await refresh(tokens)
          return [
            ...unless(first.refresh_token === second.refresh_token, 'two successors'),
            ...is(reused, 400),
            ...unless(!(await isLive(next)), 'alive after reuse'),
          ]
        },
      }
    },

    async retry() {
      const tokens = await obtain()
      const first = tokensOf(await refresh(tokens))
      return {
        perform: (at) => requests.refresh(at, tokens.refresh_token),
        examine: async () => {
          const second = tokensOf(await refresh(tokens))
          const next = await refresh(second)
          return [...unless(first.refresh_token === second.refresh_token, 'two successors'), ...is(next, 200)]
        },
      }
    },

    async reuse() {
      const old = await obtain()
      const current = tokensOf(await refresh(tokensOf(await refresh(old))))
      return {
        perform: (at) => requests.refresh(at, old.refresh_token),
        examine: async (effect) => {
          const early = effect === 'done' && (await isLive(current))
          const again = await refresh(old)
          return [
            ...unless(!early, 'alive after its end'),
            ...is(again, 400),
            ...is(await refresh(current), 400),
            ...unless(!(await isLive(current)), 'alive after reuse'),
          ]
        },
      }
    },

    async revoke() {
      const tokens = await obtain()
      return {
        perform: (at) => requests.revoke(at, tokens.refresh_token),
        examine: async (effect) => {
          const early = effect === 'done' && (await isLive(tokens))
          const again = await requests.revoke(port, tokens.refresh_token)
          return [
            ...unless(!early, 'alive after its end'),
            ...is(again, 200),
            ...is(await refresh(tokens), 400),
            ...unless(!(await isLive(tokens)), 'alive after revocation'),
          ]
        },
      }
    },
  }
}

const unless = (holds: boolean, violation: string): readonly string[] => (holds ? [] : [violation])

const is = (reply: Reply, status: number): readonly string[] =>
  unless(reply.status === status, `${reply.status} instead of ${status}: ${reply.text}`)
