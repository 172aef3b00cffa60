import type { ExitStatus } from './command-error.js';
import { jsonOption } from './command.js';
import type { Command } from './command.js';
import { readDoctorConfig } from './config.js';
import { checkDatabase } from './doctor/database-checks.service.js';
import { statusOf } from './doctor/finding.js';
import type { Finding } from './doctor/finding.js';
import { checkDns, checkMachine, checkPublicUrl } from './doctor/machine-checks.service.js';
import { checkRelay, checkSignatures, checkSmtpListener } from './doctor/mail-checks.service.js';
import { checkServices } from './doctor/service-checks.service.js';
import type { Session } from './session.js';

/** A check that throws becomes a finding and hides no other. */
async function examine(session: Session): Promise<Finding[]> {
  const config = readDoctorConfig();
  const { findings, facts } = await checkDatabase(config);
  return [
    ...(await checkMachine(config)),
    ...findings,
    ...(await checkServices(session, config.NATS_URL !== undefined)),
    await checkRelay(config),
    checkSignatures(config),
    await checkDns(facts?.sendingDomains ?? null),
    await checkPublicUrl(config),
    ...(await checkSmtpListener(config)),
  ];
}

const doctor: Command = {
  words: ['doctor'],
  about: 'Checks the installation; each line says what to do. Exit status: 0 well, 3 needs a look, 1 does not work.',
  options: { json: jsonOption },
  run: async (typed, session): Promise<ExitStatus> => {
    const findings = await examine(session);
    if (typed.has('json')) session.terminal.say(JSON.stringify({ findings }));
    else {
      const width = Math.max(...findings.map(({ check }) => check.length));
      for (const { check, state, message, remedy } of findings) {
        session.terminal.say(`${state.padEnd(4)}  ${check.padEnd(width)}  ${message}`);
        if (remedy) session.terminal.say(`${' '.repeat(6)}${' '.repeat(width)}  → ${remedy}`);
      }
    }
    return statusOf(findings);
  },
};

export const doctorCommands = [doctor];
