import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'tag' })
export class TagEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('uuid', { name: 'tag_id' })
  tagId!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
