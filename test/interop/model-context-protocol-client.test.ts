import * as secondGeneration from '@modelcontextprotocol/client'

import { describeModelContextProtocol } from './model-context-protocol-suite.ts'

describeModelContextProtocol('the TypeScript client of the Model Context Protocol', secondGeneration)
