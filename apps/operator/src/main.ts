import { readOperatorConfig } from './config.js';
import { operate } from './operator.js';
import { Session } from './session.js';
import { processTerminal } from './terminal.js';

process.exitCode = await operate(process.argv.slice(2), new Session(processTerminal, readOperatorConfig()));
