"""The input and the schedule that hurt a kernel most (GUPT: Chattopadhyay, Eles and Peng)."""
