import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A take-over that knows of earlier leases which of their messages were never begun. */
export class ReadJournal1700000001520 implements MigrationInterface {
  name = 'ReadJournal1700000001520';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(takeOver);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

// As the function of the same name without the last two arguments, which processes of the release before call. Before it
// puts marks in doubt, it clears those without a row that were never begun. j_: an earlier lease each, and the positions
// it began, as bits.
const takeOver = `create function take_over_chunk(
    in_organization uuid, in_send uuid, in_chunk int, in_owner uuid, in_fence bigint, first_id uuid, last_id uuid,
    r_id uuid[], r_hash bigint[], r_subscriber uuid[], r_email text[], r_simulated boolean[],
    j_fence bigint[], j_begun text[])
  returns table (held boolean, settled int[], doubted int)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    none constant bit(512) := repeat('0', 512)::bit(512);
    rows bit(512);
  begin
    -- Nothing is cleared after the lease: the function below refuses, and the marks are the next owner's to judge.
    if cardinality(j_fence) > 0 and exists (
      select from send_page p where p.organization_id = in_organization and p.send_id = in_send and p.page_no = in_chunk
        and p.fence = in_fence and p.owner = in_owner and p.state = 'LEASED' for no key update)
    then
      select coalesce(bit_or(set_bit(none, ('x' || right(m.message_id::text, 8))::bit(32)::int & 511, 1)), none) into rows
      from campaign_message m where m.message_id between first_id and last_id and m.organization_id = in_organization;
      update send_attempt a set attempted = a.attempted & (j.begun | rows),
        pending = array(select v from unnest(a.pending) v where get_bit(j.begun | rows, (v & 511)::int) = 1)
      from (select fence, begun::bit(512) from unnest(j_fence, j_begun) j(fence, begun)) j
      where a.organization_id = in_organization and a.send_id = in_send and a.chunk_no = in_chunk
        and a.fence = j.fence and a.fence < in_fence;
    end if;
    return query select * from take_over_chunk(in_organization, in_send, in_chunk, in_owner, in_fence, first_id, last_id,
      r_id, r_hash, r_subscriber, r_email, r_simulated);
  end $$`;
