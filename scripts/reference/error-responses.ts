import type { JsonObject } from '@mintmark/storage-interface'

/** The parts of an error response that a client can use: the status, and the code in the body if there is one. */
export interface ErrorAnswer {
  readonly status: number
  readonly code?: string
}

/**
 * Completes a handwritten OpenAPI document from the refusal table of its service. Adds the codes to the error schema,
 * and adds one response, to which every operation refers, that lists the codes of each status.
 */
export function withErrorResponses(document: JsonObject, { answers, codeMember, mediaType }: ErrorFormat): JsonObject {
  const statuses = [...new Set(answers.map(({ status }) => status))].toSorted((left, right) => left - right)
  const lines = statuses.map((status) => {
    const codes = codesOf(answers.filter((answer) => answer.status === status))
    return codes.length === 0 ? `${status}` : `${status}: ${codes.map((code) => `\`${code}\``).join(', ')}`
  })

  const { components, paths } = document as unknown as { readonly components: Components; readonly paths: JsonObject }
  const { Error: error } = components.schemas
  const withCodes = { ...error.properties, [codeMember]: { type: 'string', enum: codesOf(answers) } }
  return {
    ...document,
    paths: mapOperations(paths, (operation) => ({
      ...operation,
      responses: { ...(operation['responses'] as JsonObject), default: { $ref: '#/components/responses/Refused' } },
    })),
    components: {
      ...components,
      schemas: { ...components.schemas, Error: { ...error, properties: withCodes } },
      responses: {
        Refused: {
          description: `The request is refused. ${lines.join('; ')}.`,
          content: { [mediaType]: { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  }
}

const codesOf = (answers: readonly ErrorAnswer[]): readonly string[] =>
  [...new Set(answers.flatMap(({ code }) => code ?? []))].toSorted()

interface ErrorFormat {
  readonly answers: readonly ErrorAnswer[]
  /** The member of the body that contains the code. */
  readonly codeMember: string
  readonly mediaType: string
}

type Components = JsonObject & { readonly schemas: { readonly Error: { readonly properties: JsonObject } } }

const mapOperations = (paths: JsonObject, change: (operation: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations as JsonObject).map(([method, operation]) => [
          method,
          change(operation as JsonObject),
        ]),
      ),
    ]),
  )
