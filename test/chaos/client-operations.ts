import { codeOf, tokensOf, type ClientRequests, type Tokens } from '../processes/client-requests.ts'
import type { Reply } from '../support/send.ts'
import { violationUnless } from '../processes/violation-unless.ts'

export type OperationName = 'redeem' | 'replay' | 'rotate' | 'retry' | 'reuse' | 'revoke'

/** A client's request during which the server dies. */
export interface InterruptedRequest {
  /** Sends the request. The response is lost. */
  send(port: number): Promise<Reply>
  /** Sends requests to the server that keeps running. @returns the violations. */
  findViolations(effect: 'none' | 'done'): Promise<readonly string[]>
}

/** Prepares requests with the server at `port`, which keeps running. */
export function operationsOf(
  requests: ClientRequests,
  port: number,
): Readonly<Record<OperationName, () => Promise<InterruptedRequest>>> {
  const obtainCode = async (): Promise<string> => codeOf(await requests.authorize(port))
  const redeem = (code: string): Promise<Reply> => requests.redeem(port, code)
  const refresh = (tokens: Tokens): Promise<Reply> => requests.refresh(port, tokens.refresh_token)
  const obtain = async (): Promise<Tokens> => tokensOf(await redeem(await obtainCode()))
  const isActive = async (tokens: Tokens): Promise<boolean> => {
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
        send: (at) => requests.redeem(at, code),
        findViolations: async (effect) => {
          const again = await redeem(code)
          if (effect === 'done') {
            // RFC 6749 §4.1.2: a used code stays used; the client starts a new authorization request, which needs no
            // user interaction.
            const recovered = await redeem(await obtainCode())
            return [...requireStatus(again, 400), ...requireStatus(recovered, 200)]
          }
          const tokens = tokensOf(again)
          const renewed = tokensOf(await refresh(tokens))
          const third = await redeem(code)
          return [
            ...requireStatus(third, 400),
            ...violationUnless(!(await isActive(tokens)) && !(await isActive(renewed)), 'active after a replay'),
          ]
        },
      }
    },

    async replay() {
      const code = await obtainCode()
      const tokens = tokensOf(await redeem(code))
      return {
        send: (at) => requests.redeem(at, code),
        findViolations: async (effect) => {
          const early = effect === 'done' && (await isActive(tokens))
          const again = await redeem(code)
          return [
            ...violationUnless(!early, 'active after its revocation'),
            ...requireStatus(again, 400),
            ...violationUnless(!(await isActive(tokens)), 'active after another replay'),
          ]
        },
      }
    },

    async rotate() {
      const tokens = await obtain()
      return {
        send: (at) => requests.refresh(at, tokens.refresh_token),
        findViolations: async () => {
          // RFC 9700 §4.14.2: whether or not the token was rotated, the client gets one successor, always the same.
          const [first, second] = [tokensOf(await refresh(tokens)), tokensOf(await refresh(tokens))]
          const next = tokensOf(await refresh(first))
          const reused = await refresh(tokens)
          return [
            ...violationUnless(first.refresh_token === second.refresh_token, 'two successors'),
            ...requireStatus(reused, 400),
            ...violationUnless(!(await isActive(next)), 'active after reuse'),
          ]
        },
      }
    },

    async retry() {
      const tokens = await obtain()
      const first = tokensOf(await refresh(tokens))
      return {
        send: (at) => requests.refresh(at, tokens.refresh_token),
        findViolations: async () => {
          const second = tokensOf(await refresh(tokens))
          const next = await refresh(second)
          return [
            ...violationUnless(first.refresh_token === second.refresh_token, 'two successors'),
            ...requireStatus(next, 200),
          ]
        },
      }
    },

    async reuse() {
      const old = await obtain()
      const current = tokensOf(await refresh(tokensOf(await refresh(old))))
      return {
        send: (at) => requests.refresh(at, old.refresh_token),
        findViolations: async (effect) => {
          const early = effect === 'done' && (await isActive(current))
          const again = await refresh(old)
          return [
            ...violationUnless(!early, 'active after its revocation'),
            ...requireStatus(again, 400),
            ...requireStatus(await refresh(current), 400),
            ...violationUnless(!(await isActive(current)), 'active after reuse'),
          ]
        },
      }
    },

    async revoke() {
      const tokens = await obtain()
      return {
        send: (at) => requests.revoke(at, tokens.refresh_token),
        findViolations: async (effect) => {
          const early = effect === 'done' && (await isActive(tokens))
          const again = await requests.revoke(port, tokens.refresh_token)
          return [
            ...violationUnless(!early, 'active after its revocation'),
            ...requireStatus(again, 200),
            ...requireStatus(await refresh(tokens), 400),
            ...violationUnless(!(await isActive(tokens)), 'active after another revocation'),
          ]
        },
      }
    },
  }
}

const requireStatus = (reply: Reply, status: number): readonly string[] =>
  violationUnless(reply.status === status, `${reply.status} instead of ${status}: ${reply.text}`)
