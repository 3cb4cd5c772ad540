import { createToleranceCounter, type ToleranceCounter, type Tolerances } from '../tolerance/tolerances.ts'
import type { ResourceType } from './resource-type.ts'

/** The context in which names are resolved: a resource type, and the tolerances of a provider. */
export interface ParseContext {
  readonly resourceType: ResourceType
  readonly tolerances: ToleranceCounter
}

/** The context in which a message is parsed. */
export interface MessageContext extends ParseContext {
  /** The tenant URL, below which a `$ref` names a resource; undefined without a request, when no `$ref` does. */
  readonly baseUrl: string | undefined
}

/** Creates a context without a request, with a new counter. */
export const createParseContext = (resourceType: ResourceType, tolerances: Tolerances): MessageContext => ({
  resourceType,
  tolerances: createToleranceCounter(tolerances),
  baseUrl: undefined,
})
