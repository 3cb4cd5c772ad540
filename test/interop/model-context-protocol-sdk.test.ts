import * as firstGeneration from '@modelcontextprotocol/sdk/client/auth.js'

import { describeModelContextProtocol } from './model-context-protocol-suite.ts'

describeModelContextProtocol('the TypeScript client of the Model Context Protocol, first generation', firstGeneration)
