import { readOperatorConfig } from './config.js';
import { operate } from './operator.js';
import { Session } from './session.js';
import { endQuietlyWhenUnread, processTerminal } from './terminal.js';

endQuietlyWhenUnread(process.stdout);
process.exitCode = await operate(process.argv.slice(2), new Session(processTerminal, readOperatorConfig()));
