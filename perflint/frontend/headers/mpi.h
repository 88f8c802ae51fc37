// MPI's handles, of which classes shared with device code have members. They are pointers, as in
// Open MPI; MPICH's are numbers.
#pragma once
typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_request_t *MPI_Request;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_op_t *MPI_Op;
typedef struct ompi_group_t *MPI_Group;
typedef struct ompi_win_t *MPI_Win;
typedef struct ompi_file_t *MPI_File;
typedef struct ompi_info_t *MPI_Info;
typedef struct ompi_message_t *MPI_Message;
typedef struct ompi_errhandler_t *MPI_Errhandler;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset, MPI_Count;
typedef int MPI_Fint;
struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, _cancelled;
  size_t _ucount;
};
